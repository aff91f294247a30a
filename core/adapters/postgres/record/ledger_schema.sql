-- One line for each part of the schema that what people see rests on, and what it is made of.
WITH ours AS (SELECT oid, nspname FROM pg_namespace WHERE nspname IN ('audit', 'citebound')),
     tables AS (SELECT c.* FROM pg_class AS c JOIN ours ON ours.oid = c.relnamespace
                 WHERE c.relkind IN ('r', 'p', 'f')),
     ledger AS (SELECT c.* FROM tables AS c WHERE c.relnamespace = 'audit'::regnamespace),
     functions AS (SELECT p.* FROM pg_proc AS p JOIN ours ON ours.oid = p.pronamespace)
SELECT format('trigger %s on %s: %s, fires %s', t.tgname, c.oid::regclass, t.tgfoid::regproc,
              t.tgenabled) AS line, pg_get_triggerdef(t.oid) AS source, true AS is_written_out
  FROM pg_trigger AS t JOIN tables AS c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal
UNION ALL
SELECT format('function %s of %s, %s%s', p.oid::regprocedure, p.proowner::regrole, l.lanname,
              CASE WHEN p.prosecdef THEN ', definer' ELSE '' END),
       concat_ws('; ', array_to_string(p.proconfig, '; '), p.prosrc), false
  FROM functions AS p JOIN pg_language AS l ON l.oid = p.prolang
UNION ALL
SELECT format('column %s.%s: %s%s%s', c.oid::regclass, a.attname,
              format_type(a.atttypid, a.atttypmod),
              CASE WHEN a.attnotnull THEN ', not null' ELSE '' END,
              CASE a.attgenerated WHEN 's' THEN ', generated' ELSE '' END), NULL, false
  FROM pg_attribute AS a JOIN ledger AS c ON c.oid = a.attrelid
 WHERE a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT format('value of %s.%s', c.oid::regclass, a.attname), pg_get_expr(d.adbin, d.adrelid), true
  FROM pg_attrdef AS d JOIN ledger AS c ON c.oid = d.adrelid
  JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = d.adnum
UNION ALL
SELECT format('constraint %s on %s, validated %s', k.conname, c.oid::regclass, k.convalidated),
       pg_get_constraintdef(k.oid), true
  FROM pg_constraint AS k JOIN ledger AS c ON c.oid = k.conrelid WHERE k.contype <> 'n'
UNION ALL
SELECT format('table %s of %s, row security %s, forced %s', c.oid::regclass, c.relowner::regrole,
              c.relrowsecurity, c.relforcerowsecurity), NULL, false FROM tables AS c
UNION ALL
SELECT format('child %s of %s', i.inhrelid::regclass, c.oid::regclass), NULL, false
  FROM pg_inherits AS i JOIN tables AS c ON c.oid = i.inhparent
UNION ALL
SELECT format('policy %s on %s.%s: %s', policyname, schemaname, tablename, lower(cmd)),
       concat_ws(' with ', permissive, array_to_string(roles, ','), qual, with_check), true
  FROM pg_policies JOIN ours ON ours.nspname = schemaname
UNION ALL
SELECT format('rule %s on %s', r.rulename, c.oid::regclass), pg_get_ruledef(r.oid), true
  FROM pg_rewrite AS r JOIN tables AS c ON c.oid = r.ev_class
UNION ALL
SELECT format('view %s of %s%s', c.oid::regclass, c.relowner::regrole,
              coalesce(', ' || array_to_string(c.reloptions, ', '), '')),
       pg_get_viewdef(c.oid), true
  FROM pg_class AS c JOIN ours ON ours.oid = c.relnamespace WHERE c.relkind IN ('v', 'm')
UNION ALL
SELECT format('event trigger %s', evtname), NULL, false FROM pg_event_trigger
 WHERE evtevent = 'login'
UNION ALL
SELECT format('tag %s, outcome %s, by %s', tag, is_outcome, authors), NULL, false
  FROM ONLY audit.tag
UNION ALL
SELECT format('grant %s on %s to %s%s', granted.privilege_type, thing,
              CASE granted.grantee WHEN 0 THEN 'public' ELSE granted.grantee::regrole::text END,
              CASE WHEN granted.is_grantable THEN ', who may grant it' END), NULL, false
  FROM (SELECT c.relname::text AS thing, c.relacl AS acl, c.relowner AS owner FROM pg_class AS c
         WHERE c.relnamespace = 'audit'::regnamespace AND c.relkind IN ('r', 'v', 'm')
        UNION ALL
        SELECT format('%s.%s', c.relname, a.attname), a.attacl, c.relowner FROM pg_attribute AS a
          JOIN pg_class AS c ON c.oid = a.attrelid
         WHERE c.relnamespace = 'audit'::regnamespace AND a.attacl IS NOT NULL
           AND NOT a.attisdropped
        UNION ALL
        SELECT format('%s()', p.proname), coalesce(p.proacl, acldefault('f', p.proowner)),
               p.proowner
          FROM functions AS p WHERE p.pronamespace = 'audit'::regnamespace
        UNION ALL
        SELECT format('schema %s', nspname), nspacl, nspowner FROM pg_namespace
         WHERE nspname = 'audit') AS things, aclexplode(acl) AS granted
 WHERE granted.grantee <> owner
