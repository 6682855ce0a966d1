-- The tables of SuperTokens core 12 that hold most rows, as it makes them, and the others empty. Users and sessions: psql -v users=N, -v sessions=N.
CREATE TABLE apps (app_id varchar(64) PRIMARY KEY, created_at_time bigint);
CREATE TABLE tenants (app_id varchar(64), tenant_id varchar(64), created_at_time bigint, PRIMARY KEY (app_id, tenant_id));
CREATE TABLE tenant_configs (
  connection_uri_domain varchar(256), app_id varchar(64), tenant_id varchar(64), core_config text,
  email_password_enabled boolean, passwordless_enabled boolean, third_party_enabled boolean, is_first_factors_null boolean,
  PRIMARY KEY (connection_uri_domain, app_id, tenant_id)
);
CREATE TABLE key_value (
  app_id varchar(64), tenant_id varchar(64), name varchar(128), value text, created_at_time bigint, PRIMARY KEY (app_id, tenant_id, name)
);
CREATE TABLE app_id_to_user_id (
  app_id varchar(64) NOT NULL DEFAULT 'public', user_id char(36) NOT NULL, recipe_id varchar(128) NOT NULL, primary_or_recipe_user_id char(36) NOT NULL,
  is_linked_or_is_a_primary_user boolean NOT NULL DEFAULT false, time_joined bigint NOT NULL DEFAULT 0,
  primary_or_recipe_user_time_joined bigint NOT NULL DEFAULT 0, PRIMARY KEY (app_id, user_id)
);
CREATE TABLE all_auth_recipe_users (
  app_id varchar(64) NOT NULL DEFAULT 'public', tenant_id varchar(64) NOT NULL DEFAULT 'public', user_id char(36) NOT NULL,
  primary_or_recipe_user_id char(36) NOT NULL, is_linked_or_is_a_primary_user boolean NOT NULL DEFAULT false, recipe_id varchar(128) NOT NULL,
  time_joined bigint NOT NULL, primary_or_recipe_user_time_joined bigint NOT NULL, PRIMARY KEY (app_id, tenant_id, user_id)
);
CREATE TABLE emailpassword_users (
  app_id varchar(64) NOT NULL DEFAULT 'public', user_id char(36) NOT NULL, email varchar(256) NOT NULL, password_hash varchar(256) NOT NULL,
  time_joined bigint NOT NULL, PRIMARY KEY (app_id, user_id)
);
CREATE TABLE session_info (
  app_id varchar(64) NOT NULL DEFAULT 'public', tenant_id varchar(64) NOT NULL DEFAULT 'public', session_handle varchar(255) NOT NULL,
  user_id varchar(128) NOT NULL, refresh_token_hash_2 varchar(128) NOT NULL, session_data text, expires_at bigint NOT NULL,
  created_at_time bigint NOT NULL, jwt_user_payload text, use_static_key boolean NOT NULL, prev_refresh_token_hash_2 varchar(128),
  refresh_token_rotated_at bigint, PRIMARY KEY (app_id, tenant_id, session_handle)
);
INSERT INTO apps VALUES ('public', 1);
INSERT INTO tenants VALUES ('public', 'public', 1);
INSERT INTO tenant_configs VALUES ('', 'public', 'public', '{}', true, true, true, true);
INSERT INTO key_value VALUES ('public', 'public', 'refresh_token_key', '1000:aa:bb', 1);
INSERT INTO app_id_to_user_id (user_id, recipe_id, primary_or_recipe_user_id)
  SELECT md5('user' || i)::uuid::text, 'emailpassword', md5('user' || i)::uuid::text FROM generate_series(1, :users) i;
INSERT INTO all_auth_recipe_users (user_id, primary_or_recipe_user_id, recipe_id, time_joined, primary_or_recipe_user_time_joined)
  SELECT md5('user' || i)::uuid::text, md5('user' || i)::uuid::text, 'emailpassword', 1700000000000 + i, 1700000000000 + i FROM generate_series(1, :users) i;
INSERT INTO emailpassword_users (user_id, email, password_hash, time_joined)
  SELECT md5('user' || i)::uuid::text, 'user-' || i || '@example.com', '$2a$11$' || left(md5('a' || i) || md5('b' || i), 53), 1700000000000 + i
  FROM generate_series(1, :users) i;
INSERT INTO session_info (session_handle, user_id, refresh_token_hash_2, session_data, expires_at, created_at_time, jwt_user_payload, use_static_key)
  SELECT md5('session' || i)::uuid::text, md5('user' || i)::uuid::text, md5('c' || i) || md5('d' || i), '{}', 9000000000000, 1700000000000 + i,
    '{"st-ev":{"v":true,"t":1700000000000}}', false
  FROM generate_series(1, :sessions) i;
ANALYZE;
