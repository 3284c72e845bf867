/**
 * Preloaded into the embedded start. When the process that started it is gone without having passed on a signal
 * (kill -9), the channel between the two closes and the platform shuts down in order, so that no port and no
 * database server stays occupied.
 */
if (process.channel) {
  process.channel.unref();
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
}
