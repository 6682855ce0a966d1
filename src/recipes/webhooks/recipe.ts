import type { Recipe } from '../recipe.ts';
import { deadMessages, queuedMessages, webhooks, webhookStates } from './records.ts';

/** Has events of the audit trail sent to other systems. Its job is the thread's, which gives it the way outside. */
export const webhooksRecipe: Recipe = {
  collections: [webhooks, webhookStates, queuedMessages, deadMessages],
  routes: () => import('./routes.ts'),
};
