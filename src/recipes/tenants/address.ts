/** Where a request is addressed; nothing of it need exist. */
export interface Address {
  readonly cud: string;
  readonly appId: string;
  readonly tenantId: string;
}

export const DEFAULT_TENANT_ID = 'public';
export const DEFAULT_APP_ID = 'public';
