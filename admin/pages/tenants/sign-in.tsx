import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../../app/api.ts';
import { can } from '../../app/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Area, Choice, Tick, type Values } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Badge, Facts, Section } from '../../ui/states.tsx';
import { expectUnchanged, type Known, putTenant, type Tenant } from './tenant.ts';

const T = TEXTS.tenants;

type Recipes = Tenant['enabledRecipes'];
const RECIPES: readonly (readonly [keyof Recipes, string])[] = [
  ['emailPassword', TEXTS.recipes.emailpassword],
  ['thirdParty', TEXTS.recipes.thirdparty],
  ['passwordless', TEXTS.recipes.passwordless],
];

/** The names of those that are on. */
export const recipesOf = (enabled: Recipes): readonly string[] => RECIPES.filter(([id]) => enabled[id]).map(([, name]) => name);

/** First factors in words; none at all is another thing than none set. */
export const factorsOf = (factors: readonly string[] | undefined): string =>
  factors === undefined ? T.anyFactor : factors.join(', ') || TEXTS.none;

const waysOf = ({ tenant: { enabledRecipes, firstFactors, requiredSecondaryFactors } }: Known): unknown => ({
  enabledRecipes,
  firstFactors,
  requiredSecondaryFactors,
});

interface WaysProps {
  readonly known: Known;
  readonly onChanged: () => void;
}

/** Which recipes are on, and which factors users give. */
export function SignInWays({ known, onChanged }: WaysProps): JSX.Element {
  const [editing, setEditing] = useState<'recipes' | 'factors' | undefined>();
  const { enabledRecipes, firstFactors, requiredSecondaryFactors } = known.tenant;
  const deeds = [
    { title: T.editRecipes, run: () => setEditing('recipes') },
    { title: T.editFactors, run: () => setEditing('factors') },
  ];
  const close = (): void => {
    setEditing(undefined);
    // Also where it was left after a refusal because of somebody else: what is there now is shown.
    onChanged();
  };
  const buttons = deeds.map(({ title, run }) => (
    <Button key={title} onPress={run}>
      {title}
    </Button>
  ));
  const on = recipesOf(enabledRecipes);
  return (
    <Section title={T.signIn} actions={can('tenants') && buttons}>
      <Facts
        of={[
          [T.recipes, on.length === 0 ? T.noRecipes : on.map((name) => <Badge key={name}>{name}</Badge>)],
          [T.firstFactors, factorsOf(firstFactors)],
          [T.secondaryFactors, requiredSecondaryFactors?.join(', ') ?? TEXTS.none],
        ]}
      />
      {editing === 'recipes' && <RecipesForm known={known} onClose={close} />}
      {editing === 'factors' && <FactorsForm known={known} onClose={close} />}
    </Section>
  );
}

interface FormProps {
  readonly known: Known;
  readonly onClose: () => void;
}

function RecipesForm({ known, onClose }: FormProps): JSX.Element {
  const { tenant } = known;
  const submit = async (values: Values): Promise<void> => {
    await expectUnchanged(known, waysOf);
    const changed = RECIPES.filter(([id]) => (values[id] === 'on') !== tenant.enabledRecipes[id]);
    const flags = Object.fromEntries(changed.map(([id]) => [`${id}Enabled`, values[id] === 'on']));
    await ok(core(tenant).PUT('/recipe/multitenancy/tenant', { body: { tenantId: tenant.tenantId, ...flags } }));
  };
  return (
    <FormDialog title={T.editRecipes} action={TEXTS.save} done={T.saved} onSubmit={submit} onClose={onClose}>
      <p>{T.recipesHint}</p>
      {RECIPES.map(([id, name]) => (
        <Tick key={id} label={name} name={id} isTicked={tenant.enabledRecipes[id]} />
      ))}
    </FormDialog>
  );
}

/** Names of factors, one a line or with commas. */
const namesIn = (text = ''): string[] =>
  text
    .split(/[\n,]/)
    .map((name) => name.trim())
    .filter(Boolean);

function FactorsForm({ known, onClose }: FormProps): JSX.Element {
  const { tenant } = known;
  const [isSet, setSet] = useState(tenant.firstFactors !== undefined);
  const submit = async ({ first, secondary }: Values): Promise<void> => {
    await expectUnchanged(known, waysOf);
    const required = namesIn(secondary);
    await putTenant(tenant, {
      firstFactors: isSet ? namesIn(first) : null,
      requiredSecondaryFactors: required.length > 0 ? required : null,
    });
  };
  return (
    <FormDialog title={T.editFactors} action={TEXTS.save} done={T.saved} onSubmit={submit} onClose={onClose}>
      <Choice
        label={T.firstFactors}
        name="mode"
        value={isSet ? 'these' : 'any'}
        options={[
          ['any', T.anyFactor],
          ['these', T.theseFactors],
        ]}
        onChange={(mode) => setSet(mode === 'these')}
      />
      {isSet && (
        <Area label={T.theseFactors} name="first" rows={4} defaultValue={tenant.firstFactors?.join('\n') ?? ''} hint={T.factorsHint} />
      )}
      <Area
        label={T.secondaryFactors}
        name="secondary"
        rows={3}
        defaultValue={tenant.requiredSecondaryFactors?.join('\n') ?? ''}
        hint={T.secondaryHint}
      />
    </FormDialog>
  );
}
