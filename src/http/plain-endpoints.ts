import type { Services } from '../recipes/context.ts';
import { isBaseTenantThere } from '../recipes/multitenancy/ensure-base-tenant.ts';
import { ROUTES } from '../recipes/routes.ts';
import type { AskMain } from './ask-main.ts';
import { openApiText } from './openapi.ts';
import { type Reply, textReply } from './reply.ts';
import type { PlainEndpoint } from './server.ts';

const NOT_READY = textReply(503, 'not ready');

/** The endpoints beside the contract's: probes, metrics and the description of the interface. @param isEnding true once the thread stops */
export function plainEndpoints(services: Services, main: AskMain, isEnding: () => boolean): ReadonlyMap<string, PlainEndpoint> {
  const ready = async (): Promise<Reply> => {
    if (isEnding()) return NOT_READY;
    const [isStoreReady, isMainReady] = await Promise.all([isBaseTenantThere(services.store), main.ask('ready', undefined)]);
    return isStoreReady && isMainReady ? textReply(200, 'ready') : NOT_READY;
  };
  const metrics = async (): Promise<Reply> => {
    const { contentType, text } = await main.ask('metrics', undefined);
    return { status: 200, contentType, body: text };
  };
  const openApi = async (): Promise<Reply> => ({
    status: 200,
    contentType: 'application/json;charset=UTF-8',
    body: await openApiText(ROUTES),
  });
  return new Map<string, PlainEndpoint>([
    ['/livez', { isOpen: true, answer: () => textReply(200, 'alive') }],
    ['/readyz', { isOpen: true, answer: () => ready().catch(() => NOT_READY) }],
    ['/metrics', { isOpen: false, answer: metrics }],
    ['/openapi.json', { isOpen: true, answer: openApi }],
  ]);
}
