import { defineCollection } from '../../store/collection.ts';

/** An email that a user has verified (contract 03 section 1.1). The user id is free text: the external id of mapped users. */
export interface VerifiedEmailRecord {
  readonly app: number;
  readonly userId: string;
  readonly email: string;
}

export const verifiedEmails = defineCollection<VerifiedEmailRecord>({
  id: 14,
  name: 'verified_emails',
  scope: 'app',
  format: 1,
  fields: { app: 1, userId: 2, email: 3 },
  key: (v) => [v.app, v.userId, v.email],
});
