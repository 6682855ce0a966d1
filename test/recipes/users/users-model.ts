import { INFO_TAKEN, infosOf, inUse, mapped, type Method, UNKNOWN, WHAT } from './model-method.ts';
import { type Outcome, type SignUpStep, type Step, tenantOf } from './operations.ts';

/** Sorted lines by what they are about; the same of a store is made by `summaryOf`. */
export type Summary = Readonly<Record<string, readonly string[]>>;

/** The rules of contract 03 sections 1.5 to 1.7 and contract 01 sections 3.10 and 4, over plain maps. */
export class UsersModel {
  readonly #methods = new Map<string, Method>();
  /** `tenant,type,value` → primary id. */
  readonly #reservations = new Map<string, string>();
  readonly #external = new Map<string, string>();
  readonly #internal = new Map<string, string>();
  readonly #sessions = new Map<string, string>();
  readonly #verified = new Set<string>();
  readonly #tokens = new Map<number, string>();
  readonly #devices = new Map<number, { readonly tenant: number; readonly contact: string }>();
  readonly #active = new Map<string, number>();

  /** Takes a step; answers the outcomes that are right. */
  take(step: Step, at: number): readonly Outcome[] {
    const outcome = this.#take(step, at);
    return typeof outcome === 'string' ? [outcome] : outcome;
  }

  #take(step: Step, at: number): Outcome | readonly Outcome[] {
    switch (step.act) {
      case 'sign-up':
        return this.#signUp(step, at);
      case 'primary':
        return this.#makePrimary(step.id);
      case 'link':
        return this.#link(step.id, step.to, at);
      case 'unlink':
        return this.#unlink(step.id);
      case 'change':
        return this.#onMethod(step.id, (method) => this.#change(method, step.contact));
      case 'join':
        return this.#join(step.id, step.tenant);
      case 'leave':
        return this.#onMethod(step.id, (method) => this.#leave(method, step.tenant));
      case 'map':
        return this.#map(step.id, step.externalId, step.isForced);
      case 'unmap':
        return `didMappingExist=${this.#unmap(step.id, step.type, step.isForced)}`.replace('didMappingExist=400', '400');
      case 'remove':
        this.#remove(step.id, step.withLinked);
        return 'OK';
      case 'session':
        this.#sessions.set(`session-${at}`, this.#ownerOf(step.id));
        return 'put';
      case 'verify':
        return this.#onMethod(step.id, (method) => this.#verify(method));
      case 'reset': {
        const internal = this.#resolve(step.id);
        if (internal !== undefined) this.#tokens.set(at, internal);
        return internal === undefined ? 'UNKNOWN_USER_ID_ERROR' : 'OK';
      }
      case 'device':
        this.#devices.set(at, { tenant: tenantOf(step), contact: step.contact.join() });
        return 'put';
    }
  }

  // Who is who.

  #members(primary: string): Method[] {
    return [...this.#methods.values()].filter((method) => method.group === primary);
  }

  /** Login methods, and primary ids whose own login method is gone. */
  #exists(id: string): boolean {
    return this.#methods.has(id) || this.#members(id).length > 0;
  }

  #resolve(id: string): string | undefined {
    if (this.#exists(id)) return id;
    const internal = this.#internal.get(id);
    return internal !== undefined && this.#exists(internal) ? internal : undefined;
  }

  /** The primary user that an internal id is or belongs to; `undefined` for who stands alone. */
  #groupOf(internal: string): string | undefined {
    const method = this.#methods.get(internal);
    return method ? method.group : internal;
  }

  #shown(internal: string): string {
    return this.#external.get(internal) ?? internal;
  }

  #ownerOf(id: string): string {
    const internal = this.#resolve(id) ?? this.#internal.get(id) ?? id;
    return this.#exists(this.#shown(internal)) ? internal : this.#shown(internal); // What is shown may be another's own.
  }

  #userLine(internal: string): string {
    const group = this.#groupOf(internal);
    const ids = group === undefined ? [internal] : this.#members(group).map((method) => method.id);
    const shown = ids.map((id) => this.#shown(id)).toSorted();
    return `user=${this.#shown(group ?? internal)}(${shown.join()})`;
  }

  #onMethod(id: string, act: (method: Method) => Outcome | readonly Outcome[]): Outcome | readonly Outcome[] {
    const internal = this.#resolve(id);
    const method = internal === undefined ? undefined : this.#methods.get(internal);
    return method ? act(method) : 'unknown';
  }

  // Reservations.

  /** The conflicts that may be reported: those about third-party accounts where there are any. */
  #conflicts(tenants: Iterable<number>, infos: readonly string[], primary: string): { type: string; owner: string }[] {
    const found = [...tenants].flatMap((tenant) =>
      infos.flatMap((info) => {
        const owner = this.#reservations.get(`${tenant},${info}`);
        return owner === undefined || owner === primary ? [] : [{ type: String(info.split(',')[0]), owner }];
      }),
    );
    const ofThirdParty = found.filter(({ type }) => type === 'tparty');
    return ofThirdParty.length > 0 ? ofThirdParty : found;
  }

  #reserve(tenants: Iterable<number>, infos: readonly string[], primary: string): void {
    for (const tenant of tenants) for (const info of infos) this.#reservations.set(`${tenant},${info}`, primary);
  }

  #release(primary: string): void {
    const members = this.#members(primary);
    const infos = new Set(members.flatMap(infosOf));
    const tenants = new Set(members.flatMap((member) => [...member.tenants]));
    for (const [key, owner] of this.#reservations) {
      const [tenant, ...info] = key.split(',');
      if (owner === primary && !(tenants.has(Number(tenant)) && infos.has(info.join()))) this.#reservations.delete(key);
    }
  }

  #taken(recipe: string, tenant: number, infos: readonly string[], except?: Method): boolean {
    return [...this.#methods.values()].some(
      (other) =>
        other !== except && other.recipe === recipe && other.tenants.has(tenant) && infosOf(other).some((info) => infos.includes(info)),
    );
  }

  /** What is unique within a recipe. */
  #ownInfos(method: Method): string[] {
    return infosOf(method).filter((info) => method.recipe !== 'thirdparty' || info.startsWith('tparty'));
  }

  // Steps.

  #signUp({ id, recipe, tenant, email, phone, account }: SignUpStep, at: number): Outcome {
    const method: Method = { id, recipe, tenants: new Set([tenant]), email, phone, account, group: undefined, joined: at };
    if (this.#taken(recipe, tenant, this.#ownInfos(method))) return 'duplicate';
    this.#methods.set(id, method);
    return 'added';
  }

  #infoTaken(conflicts: readonly { type: string; owner: string }[]): Outcome[] {
    return conflicts.map(
      ({ type, owner }) =>
        `${INFO_TAKEN} description=This user's ${WHAT[type]} is already associated with another user ID primaryUserId=${this.#shown(owner)}`,
    );
  }

  #makePrimary(id: string): Outcome | readonly Outcome[] {
    const internal = this.#resolve(id);
    if (internal === undefined) return UNKNOWN;
    const group = this.#groupOf(internal);
    if (group !== undefined && group !== internal) {
      const text = 'description=This user ID is already linked to another user ID';
      return `RECIPE_USER_ID_ALREADY_LINKED_WITH_PRIMARY_USER_ID_ERROR ${text} primaryUserId=${this.#shown(group)}`;
    }
    const method = this.#methods.get(internal);
    if (group !== undefined || !method) return `OK wasAlreadyAPrimaryUser=true ${this.#userLine(internal)}`;
    const conflicts = this.#conflicts(method.tenants, infosOf(method), internal);
    if (conflicts.length > 0) return this.#infoTaken(conflicts);
    method.group = internal;
    this.#reserve(method.tenants, infosOf(method), internal);
    return `OK wasAlreadyAPrimaryUser=false ${this.#userLine(internal)}`;
  }

  #link(id: string, to: string, at: number): Outcome | readonly Outcome[] {
    const internal = this.#resolve(id);
    const target = this.#resolve(to);
    if (internal === undefined || target === undefined) return UNKNOWN;
    const primary = this.#groupOf(target);
    if (primary === undefined) return 'INPUT_USER_IS_NOT_A_PRIMARY_USER';
    const group = this.#groupOf(internal);
    if (group === primary) return `OK accountsAlreadyLinked=true ${this.#userLine(internal)}`;
    const method = this.#methods.get(internal);
    if (group !== undefined || !method) {
      const text = 'description=The input recipe user ID is already linked to another user ID';
      const named = `${text} primaryUserId=${this.#shown(group ?? internal)} ${this.#userLine(internal)}`;
      return `RECIPE_USER_ID_ALREADY_LINKED_WITH_ANOTHER_PRIMARY_USER_ID_ERROR ${named}`;
    }
    const together = [...this.#members(primary), method];
    const tenants = new Set(together.flatMap((member) => [...member.tenants]));
    const infos = together.flatMap(infosOf);
    const conflicts = this.#conflicts(tenants, infos, primary);
    if (conflicts.length > 0) return this.#infoTaken(conflicts);
    this.#reserve(tenants, infos, primary);
    method.group = primary;
    this.#endSessions(this.#shown(internal));
    this.#active.delete(internal);
    this.#active.set(target, at);
    return `OK accountsAlreadyLinked=false ${this.#userLine(target)}`;
  }

  #unlink(id: string): Outcome {
    const internal = this.#resolve(id);
    if (internal === undefined) return UNKNOWN;
    const group = this.#groupOf(internal);
    if (group === undefined) return 'OK wasLinked=false wasRecipeUserDeleted=false';
    const isDeleted = group === internal && this.#members(group).length > 1;
    const method = this.#methods.get(internal);
    if (method && isDeleted) this.#removeMethod(method);
    else if (method) {
      method.group = undefined;
      this.#release(group);
    }
    this.#endSessions(this.#shown(internal));
    return `OK wasLinked=true wasRecipeUserDeleted=${isDeleted}`;
  }

  #change(method: Method, [type, value]: readonly ['email' | 'phone', string]): Outcome {
    if (method.recipe !== 'passwordless' && type === 'phone') return 'impossible';
    if (method[type] === value) return 'changed';
    const info = `${type},${value}`;
    const isTaken =
      method.recipe !== 'thirdparty' && [...method.tenants].some((tenant) => this.#taken(method.recipe, tenant, [info], method));
    if (isTaken) return method.group === undefined ? 'duplicate' : 'not-allowed';
    const { group } = method;
    if (group !== undefined && this.#conflicts(method.tenants, [info], group).length > 0) return 'not-allowed';
    method[type] = value;
    if (group !== undefined) {
      this.#release(group);
      this.#reserve(method.tenants, [info], group);
    }
    return 'changed';
  }

  #join(id: string, tenant: number): Outcome {
    const internal = this.#resolve(id);
    if (internal === undefined) return 'unknown';
    const group = this.#groupOf(internal);
    const infos = group === undefined ? [] : this.#members(group).flatMap(infosOf);
    if (group !== undefined && this.#conflicts([tenant], infos, group).length > 0) return 'not-allowed';
    const method = this.#methods.get(internal);
    if (!method) return 'unknown';
    if (!method.tenants.has(tenant) && this.#taken(method.recipe, tenant, this.#ownInfos(method), method)) return 'duplicate';
    if (group !== undefined) this.#reserve([tenant], infos, group);
    if (method.tenants.has(tenant)) return 'member';
    method.tenants.add(tenant);
    return 'joined';
  }

  #leave(method: Method, tenant: number): Outcome {
    const wasIn = method.tenants.delete(tenant);
    if (wasIn && method.group !== undefined) this.#release(method.group);
    return String(wasIn);
  }

  #verify(method: Method): Outcome {
    if (method.email === undefined) return 'no email';
    this.#verified.add(`${this.#shown(method.id)} ${method.email}`);
    return 'verified';
  }

  // Mappings.

  #usesOf(id: string): string[] {
    const uses: string[] = [];
    if ([...this.#sessions.values()].includes(id)) uses.push('Session');
    if ([...this.#verified].some((line) => line.startsWith(`${id} `))) uses.push('EmailVerification');
    return uses;
  }

  #map(internal: string, external: string, isForced: boolean): Outcome {
    const taken = this.#internal.get(external);
    if (taken !== undefined) return mapped(taken === internal, true);
    if (!this.#methods.has(internal)) return 'UNKNOWN_SUPERTOKENS_USER_ID_ERROR';
    if (!isForced && this.#exists(external)) return '400 Cannot create a userId mapping where the externalId is also a SuperTokens userID';
    const uses = isForced ? [] : this.#usesOf(internal);
    const [first] = uses;
    if (first !== undefined && !(first === 'EmailVerification' && uses.length === 1)) return inUse(first);
    if (this.#external.has(internal)) return mapped(true, false);
    this.#external.set(internal, external);
    this.#internal.set(external, internal);
    if (first !== undefined) this.#renameVerified(internal, external);
    return 'OK';
  }

  #renameVerified(from: string, to: string): void {
    for (const each of [...this.#verified].filter((line) => line.startsWith(`${from} `))) {
      this.#verified.delete(each);
      this.#verified.add(`${to}${each.slice(from.length)}`);
    }
  }

  #unmap(id: string, type: 'ANY' | 'SUPERTOKENS' | 'EXTERNAL', isForced: boolean): boolean | Outcome {
    const inner = this.#external.has(id) ? id : undefined;
    const outer = this.#internal.get(id);
    const isOwn = this.#exists(id);
    const asked = { ANY: inner ?? (isOwn ? undefined : outer), EXTERNAL: outer, SUPERTOKENS: isOwn ? inner : undefined }[type];
    if (asked === undefined || this.#exists(this.#shown(asked))) return this.#forget(asked);
    const [recipe] = isForced ? [] : this.#usesOf(this.#shown(asked));
    if (recipe !== undefined) return inUse(recipe);
    return this.#forget(type === 'SUPERTOKENS' || (type === 'ANY' && isOwn) ? inner : outer);
  }

  #forget(internal: string | undefined): boolean {
    if (internal === undefined) return false;
    this.#internal.delete(this.#external.get(internal) ?? '');
    return this.#external.delete(internal);
  }

  // Removal.

  #endSessions(id: string): void {
    for (const [handle, userId] of this.#sessions) if (userId === id) this.#sessions.delete(handle);
  }

  #dropTokens(internal: string): void {
    for (const [at, owner] of this.#tokens) if (owner === internal) this.#tokens.delete(at);
  }

  #removeMethod(method: Method): void {
    this.#methods.delete(method.id);
    if (method.group !== undefined) this.#release(method.group);
    this.#dropTokens(method.id);
    if (method.recipe !== 'passwordless') return;
    for (const [at, { tenant, contact }] of this.#devices) {
      if (method.tenants.has(tenant) && infosOf(method).includes(contact)) this.#devices.delete(at);
    }
  }

  /** A forced mapping can make the internal id of a user the external id of another: then nobody knows whose the data under it is. */
  #sharesData(internal: string, together: ReadonlySet<string>): boolean {
    return this.#ownIds(internal, together)[0] === undefined;
  }

  /** The shown and the internal id of a user, each only where the data under it is surely theirs. */
  #ownIds(internal: string, together: ReadonlySet<string>): readonly [outer: string | undefined, inner: string | undefined] {
    const isOthers = (other: string | undefined) => other !== undefined && !together.has(other) && this.#exists(other);
    const external = this.#external.get(internal);
    const inner = isOthers(this.#internal.get(internal)) ? undefined : internal;
    if (external === undefined) return [inner, inner];
    return [isOthers(external) ? undefined : external, inner];
  }

  #remove(id: string, withLinked: boolean): void {
    const internal = this.#resolve(id);
    if (internal === undefined) return;
    const primary = this.#groupOf(internal) ?? internal;
    const members = this.#groupOf(internal) === undefined ? [internal] : this.#members(primary).map((method) => method.id);
    const isAlone = !withLinked || (internal === primary && this.#sharesData(internal, new Set([primary, ...members])));
    const going = members.filter((member) => !isAlone || member === internal);
    const ids = new Set(going);
    // The id of the user goes with its last login method, and not before.
    if (going.length === members.length) ids.add(primary);
    else ids.delete(primary);
    const own = [...ids].flatMap((each) => this.#ownIds(each, ids));
    for (const each of going) {
      const method = this.#methods.get(each);
      if (method) this.#removeMethod(method);
    }
    for (const each of ids) {
      this.#forget(each);
      this.#dropTokens(each);
      this.#active.delete(each);
    }
    for (const each of own) if (each !== undefined) this.#removeData(each);
  }

  #removeData(shown: string): void {
    this.#active.delete(shown);
    this.#endSessions(shown);
    for (const each of this.#verified) if (each.startsWith(`${shown} `)) this.#verified.delete(each);
  }

  /** Everything that must stand in the store. */
  summary(): Summary {
    const methods = [...this.#methods.values()];
    const groups = new Map<string, Method[]>();
    for (const method of methods) groups.set(method.group ?? method.id, [...(groups.get(method.group ?? method.id) ?? []), method]);
    return {
      methods: methods.map((m) => [m.id, m.group ?? '-', [...m.tenants].toSorted().join('+'), ...infosOf(m)].join(' ')).toSorted(),
      users: [...groups].map(([id, members]) => `${id} since ${Math.min(...members.map((member) => member.joined))}`).toSorted(),
      reservations: [...this.#reservations].map(([key, owner]) => `${key} ${owner}`).toSorted(),
      mappings: [...this.#external].map((pair) => pair.join(' ')).toSorted(),
      mappingsBack: [...this.#internal].map((pair) => pair.join(' ')).toSorted(),
      sessions: [...this.#sessions].map((pair) => pair.join(' ')).toSorted(),
      verified: [...this.#verified].toSorted(),
      tokens: [...this.#tokens.values()].toSorted(),
      devices: [...this.#devices.values()].map(({ tenant, contact }) => `${tenant} ${contact}`).toSorted(),
      active: [...this.#active].map((pair) => pair.join(' ')).toSorted(),
    };
  }
}
