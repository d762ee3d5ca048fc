import type { Queryable } from '../../../src/platform/db/sql.ts';
import type { Filters, FilterQuery } from '../../../src/verification/verifications/filters.ts';
