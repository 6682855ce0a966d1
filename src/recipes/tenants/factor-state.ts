import type { FactorState } from './factors.ts';
import type { TenantRecord } from './records.ts';

type FactorFields = Pick<
  TenantRecord,
  'emailPasswordEnabled' | 'thirdPartyEnabled' | 'passwordlessEnabled' | 'firstFactors' | 'requiredSecondaryFactors'
>;

/** The factor state inside a record. */
export function factorStateOf(record: FactorFields): FactorState {
  return {
    flags: {
      emailPassword: record.emailPasswordEnabled,
      thirdParty: record.thirdPartyEnabled,
      passwordless: record.passwordlessEnabled,
    },
    firstFactors: record.firstFactors,
    requiredSecondaryFactors: record.requiredSecondaryFactors,
  };
}

/** The fields of a record that hold a factor state. */
export function factorFields({ flags, firstFactors, requiredSecondaryFactors }: FactorState): FactorFields {
  return {
    emailPasswordEnabled: flags.emailPassword,
    thirdPartyEnabled: flags.thirdParty,
    passwordlessEnabled: flags.passwordless,
    firstFactors,
    requiredSecondaryFactors,
  };
}
