/** Renders every overlay with `kubectl kustomize`; a warning counts as a fault. Without kubectl nothing is checked. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const overlays = join(import.meta.dirname, 'overlays');

if (spawnSync('kubectl', ['version', '--client']).error) {
  console.log('kubectl is not on this machine: deploy/k8s was not checked');
} else {
  for (const name of readdirSync(overlays)) {
    const { status, stderr } = spawnSync('kubectl', ['kustomize', join(overlays, name)], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    if (status === 0 && stderr === '') continue;
    console.error(`deploy/k8s/overlays/${name}: ${stderr}`);
    process.exitCode = 1;
  }
}
