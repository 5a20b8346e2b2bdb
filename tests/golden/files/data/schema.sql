-- The schema.
BEGIN;

CREATE TABLE IF NOT EXISTS app.users (
  id bigint PRIMARY KEY, -- never reused;
  name text NOT NULL
);

create unique index concurrently users_by_name on app.users (name);
ALTER TABLE "app"."users" ADD COLUMN größe int;

SELECT 1;
UPDATE app.users SET name = 'x'
WHERE id = 1;

CREATE OR REPLACE FUNCTION app.touch() RETURNS trigger AS $$
BEGIN
  NEW.changed := now();
  RETURN NEW;
END;
$$ LANGUAGE plpgsql;

INSERT INTO app.users (id, name)
VALUES (1, 'a'),
       (2, 'b');
COMMIT;
