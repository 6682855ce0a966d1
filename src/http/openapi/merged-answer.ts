import { asJson, type Json } from './schemas.ts';

/**
 * The answers of rows that `rid` tells apart, as one: `oneOf` by `status`. Side by side they would not do, as most
 * outcomes are those of several recipes, and an answer must match one alternative only.
 */
export function mergedAnswer(answers: readonly Json[]): Json {
  const shapes = new Map<string, Map<string, Json>>();
  for (const alternative of answers.flatMap(alternativesOf)) {
    const { status, ...others } = asJson(alternative['properties']);
    for (const name of statusesOf(asJson(status))) {
      const rest = { ...alternative, properties: others };
      shapes.set(name, (shapes.get(name) ?? new Map()).set(JSON.stringify(rest), rest));
    }
  }
  const groups = new Map<string, { readonly statuses: string[]; readonly shapes: readonly Json[] }>();
  for (const [status, byText] of shapes) {
    const key = [...byText.keys()].join('\n');
    const group = groups.get(key);
    if (group) group.statuses.push(status);
    else groups.set(key, { statuses: [status], shapes: [...byText.values()] });
  }
  return { oneOf: [...groups.values()].map((group) => alternativeOf(group.statuses, group.shapes)) };
}

const alternativesOf = (answer: Json): readonly Json[] => (Array.isArray(answer['oneOf']) ? answer['oneOf'].map(asJson) : [answer]);

const statusesOf = (status: Json): readonly string[] =>
  Array.isArray(status['enum']) ? status['enum'].map(String) : [String(status['const'])];

/** Of what may be answered with these statuses. */
function alternativeOf(statuses: readonly string[], shapes: readonly Json[]): Json {
  const [first] = statuses;
  const status = statuses.length === 1 ? { const: first } : { enum: statuses };
  const whole = shapes.map((shape) => ({ ...shape, properties: { status, ...asJson(shape['properties']) } }));
  const [only] = whole;
  return whole.length === 1 && only ? only : { anyOf: whole };
}
