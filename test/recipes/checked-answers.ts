import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { SCHEMAS } from '../../src/generated/schemas.ts';
import { ROUTES } from '../../src/recipes/routes.ts';
import { declaredStatuses } from '../http/declared-statuses.ts';
import type { InProcessAnswer, InProcessCallOptions, InProcessCore } from '../in-process-core.ts';

const ajv = new Ajv2020({ strict: false });

/** Calls a core and checks that openapi.json lists the status of the answer, and that one with status 200 is what the row's response schema says. */
export async function checkedCall(
  core: InProcessCore,
  method: string,
  path: string,
  body?: object,
  options?: InProcessCallOptions,
): Promise<InProcessAnswer> {
  const answer = await core.call(method, path, body, options);
  const plain = path.replace(/\?.*$/, '').replace(/^(?:\/appid-[^/]+)?(?:\/(?!recipe\/|manage\/)[^/]+)?(?=\/(?:recipe|manage)\/)/, '');
  const declared = declaredStatuses(method, plain);
  if (declared) expect(declared, `${method} ${plain}`).toContain(String(answer.status));
  if (answer.status !== 200) return answer;
  const rows = ROUTES.filter((each) => each.method === method && each.path === plain);
  const row = rows.find((each) => each.rid === options?.rid) ?? rows[0];
  const schema = row && SCHEMAS[`${row.response}.response`];
  if (!schema) throw new Error(`no response schema for ${method} ${plain}`);
  const validate = ajv.compile(schema);
  expect(validate(answer.body), `${method} ${plain}: ${JSON.stringify(answer.body)}: ${ajv.errorsText(validate.errors)}`).toBe(true);
  return answer;
}
