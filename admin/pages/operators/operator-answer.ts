import type { components } from '../../generated/api.ts';

export type Operator = components['schemas']['AdminListOperatorsAnswer']['operators'][number];
