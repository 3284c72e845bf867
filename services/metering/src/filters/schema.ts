import { z } from 'zod';

/** Deeper or longer filters serve nobody and cost every ingested event. */
const MAX_DEPTH = 16;
const MAX_CLAUSES = 500;

export const FilterOperator = z
  .enum(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'like', 'not_like'])
  .meta({ id: 'FilterOperator' });
export type FilterOperator = z.output<typeof FilterOperator>;

export const FilterConjunction = z.enum(['and', 'or']).meta({ id: 'FilterConjunction' });

export const FilterClause = z
  .object({
    property: z.string().min(1).max(1000),
    operator: FilterOperator,
    value: z.union([z.string().max(1000), z.int32(), z.boolean()]),
  })
  .meta({ id: 'FilterClause' });
export type FilterClause = z.output<typeof FilterClause>;

/** Domain rules 8.4: clauses and filters joined by `and` or `or`; no clauses match everything. */
export const Filter = z
  .object({
    conjunction: FilterConjunction,
    get clauses() {
      return z.array(z.union([FilterClause, Filter]));
    },
  })
  .meta({ id: 'Filter' });
export type Filter = z.output<typeof Filter>;

/** A filter as clients may write it: of bounded depth and length. */
export const FilterInput = Filter.refine((filter) => depthOf(filter) <= MAX_DEPTH, {
  error: `Filters nest at most ${MAX_DEPTH} levels`,
}).refine((filter) => clausesOf(filter) <= MAX_CLAUSES, {
  error: `A filter has at most ${MAX_CLAUSES} clauses`,
});

export const isClause = (part: FilterClause | Filter): part is FilterClause => 'property' in part;

const depthOf = (filter: Filter): number =>
  1 + Math.max(0, ...filter.clauses.map((part) => (isClause(part) ? 0 : depthOf(part))));

const clausesOf = (filter: Filter): number =>
  filter.clauses.reduce((sum, part) => sum + (isClause(part) ? 1 : 1 + clausesOf(part)), 0);
