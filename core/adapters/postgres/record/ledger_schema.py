"""What the tables of the record must be like in the database: triggers, functions, columns, rows.

Who drops a trigger, a policy or the expression of a generated column can change what officers see;
the lines below are those of this release, and `citebound audit verify` names each that differs.
"""

from sqlalchemy import text

SCHEMA = text("""
SELECT format('trigger %s on %s: %s, fires %s', t.tgname, c.relname, p.proname, t.tgenabled) AS line
  FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_proc AS p ON p.oid = t.tgfoid
 WHERE n.nspname = 'audit' AND NOT t.tgisinternal
UNION ALL
SELECT format('function %s: %s', p.proname, encode(sha256(convert_to(p.prosrc, 'UTF8')), 'hex'))
  FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace WHERE n.nspname = 'audit'
UNION ALL
SELECT format('definer of %s: %s, %s', p.proname, p.proowner::regrole,
              array_to_string(p.proconfig, '; '))
  FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace WHERE n.nspname = 'audit'
   AND p.prosecdef
UNION ALL
SELECT format('column %s.%s: %s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
              CASE WHEN a.attnotnull THEN ', not null' ELSE '' END,
              CASE a.attgenerated WHEN 's' THEN ', generated' ELSE '' END)
  FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = 'audit' AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT format('constraint %s on %s, validated %s', k.conname, c.relname, k.convalidated)
  FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = 'audit' AND k.contype <> 'n'
UNION ALL
SELECT format('table %s of %s, row security %s, forced %s', c.relname, c.relowner::regrole,
              c.relrowsecurity, c.relforcerowsecurity)
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = 'audit' AND c.relkind = 'r'
UNION ALL
SELECT format('policy %s on %s: %s %s', policyname, tablename, lower(cmd),
              left(encode(sha256(convert_to(concat_ws(
                ' with ', permissive, array_to_string(roles, ','), qual, with_check
              ), 'UTF8')), 'hex'), 48))
  FROM pg_policies WHERE schemaname = 'audit'
UNION ALL
SELECT format('rule %s on %s', r.rulename, c.relname)
  FROM pg_rewrite AS r JOIN pg_class AS c ON c.oid = r.ev_class
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = 'audit' AND c.relkind = 'r'
""")
"""One line for each part of the schema that what officers see rests on."""
EXPECTED = frozenset(
    """
column checkpoint.cluster: bigint, not null
column checkpoint.frontier: bytea[], not null
column checkpoint.generation: integer, not null
column checkpoint.horizon: xid8, not null
column checkpoint.note: text, not null
column checkpoint.root: bytea, not null
column checkpoint.sealed_at: timestamp with time zone, not null
column checkpoint.size: bigint, not null
column citation.char_end: integer, not null
column citation.char_start: integer, not null
column citation.n: integer, not null
column citation.policy: text, not null
column citation.quote_hash: bytea, not null
column citation.record_id: uuid, not null
column citation.section: text
column citation.version: text
column content.body: text, not null
column content.field: text, not null
column content.hold_id: uuid
column content.record_id: uuid, not null
column content.retain_until: date
column content.salt: bytea, not null
column leaf.idx: bigint, not null
column leaf.leaf_hash: bytea, not null
column leaf.record_id: uuid, not null
column officer.audiences: text[], not null
column officer.granted_at: timestamp with time zone, not null
column officer.login: text, not null
column officer.revoked_at: timestamp with time zone
column officer.units: text[], not null
column record.actor: text, not null, generated
column record.at: timestamp with time zone, not null, generated
column record.badge: text, generated
column record.calibrated: numeric, generated
column record.canonical: bytea, not null
column record.conversation: uuid, generated
column record.doc: jsonb, generated
column record.id: uuid, not null, generated
column record.leaf_hash: bytea, not null
column record.outcome: text, generated
column record.seq: integer, generated
column record.subject: text, generated
column record.tag: text, not null, generated
column record.unit: text, not null, generated
column record.xid: xid8, not null
column tag.is_outcome: boolean, not null
column tag.tag: text, not null
constraint checkpoint_generation_check on checkpoint, validated t
constraint checkpoint_pkey on checkpoint, validated t
constraint checkpoint_root_check on checkpoint, validated t
constraint checkpoint_size_check on checkpoint, validated t
constraint citation_pkey on citation, validated t
constraint citation_record_id_fkey on citation, validated t
constraint content_pkey on content, validated t
constraint content_record_id_fkey on content, validated t
constraint content_salt_check on content, validated t
constraint leaf_leaf_hash_check on leaf, validated t
constraint leaf_pkey on leaf, validated t
constraint leaf_record_id_fkey on leaf, validated t
constraint leaf_record_id_key on leaf, validated t
constraint officer_login_check on officer, validated t
constraint officer_pkey on officer, validated t
constraint record_conversation_seq_key on record, validated t
constraint record_leaf_check on record, validated t
constraint record_pkey on record, validated t
constraint record_tag_fkey on record, validated t
constraint tag_pkey on tag, validated t
definer of content_digests: citebound_owner, search_path=pg_catalog, pg_temp
definer of derive_citations: citebound_owner, search_path=pg_catalog, pg_temp
definer of is_officer: citebound_owner, search_path=pg_catalog, pg_temp
definer of leaf_hashes: citebound_owner, search_path=pg_catalog, pg_temp
definer of my_audiences: citebound_owner, search_path=pg_catalog, pg_temp
definer of my_units: citebound_owner, search_path=pg_catalog, pg_temp
definer of record_reading: citebound_owner, search_path=pg_catalog, pg_temp
definer of records_with_words: citebound_owner, search_path=pg_catalog, pg_temp; enable_seqscan=off
function check_clock: 52d1f581fa20b2ce3a69f8174d92d643a5470c355037de30df5d2b76f609ad3f
function content_digests: fbe881331e9ab6c789f3c41f40e1c3b397217cf199f91412b5ab30946a84d485
function derive_citations: 754f4dd930a74ac109a2a6a75f612a2aa9c2fd50935730a7d4677ea369c3defe
function doc: 217714575f02e9d5924148a61b24c5b4ebb273af6179d091488cf36cb950c0e3
function instant: 4e6d1431ed1e3a34c9e2cc23796c22de42921410f195cc4a7292f40c6e66003b
function is_officer: 468a8d43f9e0c33d968a05fcc2529c455f5d9e8eeb7e55cdca949505f7ac8167
function leaf_hashes: c8d543afdff3813598246fa4eb19516ceef0f9ae2a2aeccf505545b00db27e59
function my_audiences: dd8d27b0fc9e7c816861c67e4f3be2810dff96f15408062896ffd002049869f9
function my_units: e972591a67e9513d719c0fe90c2522f4afa8f3d4c661eecf37759a9844263b4b
function officer_login: 902390cf00f5a918c4f65a0d3fd88cf43a06c02fbc313fe82d117b46ba33ec04
function record_reading: 279c09598c7de153266bc36744c38af2e4c2b3d635ecb11dbdacf1b2443a5f2a
function records_with_words: 180ac14c6af1681ae051c87072ea37aee1e2af1b12ef1e41be9aabb05e4654c3
function refuse: c73365de15d4d4a23d7357eef528b819a6ee1eefafc0c5507ca32dd4b0449cbc
policy checkpoint_all on checkpoint: select 585ee82806a997aeadef3bd1ce3fb778581b9d5e2fcf8012
policy checkpoint_append on checkpoint: insert 6483f277c258f5f11c6353048cee6383d7167e9a4215fb89
policy checkpoint_owner on checkpoint: all def23d6711f822372ffc63e3342b2a354f040891fa8e78f2
policy citation_all on citation: select ac9ddd1092e941bba51a50aa33c966d02e0759555f1c09d5
policy citation_owner on citation: all def23d6711f822372ffc63e3342b2a354f040891fa8e78f2
policy citation_unit on citation: select 3400c771b152b4127babb7de5dc39abfd9eb2db365442fb2
policy content_all on content: select ac9ddd1092e941bba51a50aa33c966d02e0759555f1c09d5
policy content_append on content: insert 75902da021d8715caa06f22315bc5bff370269437ca2fc9a
policy content_owner on content: all def23d6711f822372ffc63e3342b2a354f040891fa8e78f2
policy content_unit on content: select 5ed03b6846f36473e637b0a3c5709b9b97b5fd94554b5283
policy leaf_all on leaf: select ee115ffb1dacb93382f56052c154762f20d236225b09ae83
policy leaf_append on leaf: insert 6483f277c258f5f11c6353048cee6383d7167e9a4215fb89
policy leaf_owner on leaf: all def23d6711f822372ffc63e3342b2a354f040891fa8e78f2
policy leaf_unit on leaf: select fab9db9f6eed09027cfcd6d03aea7934d69c489294b545d5
policy officer_all on officer: select ac9ddd1092e941bba51a50aa33c966d02e0759555f1c09d5
policy officer_owner on officer: all def23d6711f822372ffc63e3342b2a354f040891fa8e78f2
policy record_all on record: select ee115ffb1dacb93382f56052c154762f20d236225b09ae83
policy record_append on record: insert 75902da021d8715caa06f22315bc5bff370269437ca2fc9a
policy record_owner on record: all def23d6711f822372ffc63e3342b2a354f040891fa8e78f2
policy record_unit on record: select f6800dac7d327a559207874ed53ebeaa2ff2dc7a82200991
table checkpoint of citebound_owner, row security t, forced t
table citation of citebound_owner, row security t, forced t
table content of citebound_owner, row security t, forced t
table leaf of citebound_owner, row security t, forced t
table officer of citebound_owner, row security t, forced t
table record of citebound_owner, row security t, forced t
table tag of citebound_owner, row security f, forced f
trigger check_clock on record: check_clock, fires A
trigger derive_citations on record: derive_citations, fires O
trigger refuse_change on checkpoint: refuse, fires A
trigger refuse_change on citation: refuse, fires A
trigger refuse_change on content: refuse, fires A
trigger refuse_change on leaf: refuse, fires A
trigger refuse_change on record: refuse, fires A
trigger refuse_truncate on checkpoint: refuse, fires A
trigger refuse_truncate on citation: refuse, fires A
trigger refuse_truncate on content: refuse, fires A
trigger refuse_truncate on leaf: refuse, fires A
trigger refuse_truncate on record: refuse, fires A
""".strip().splitlines()
)
"""The lines of this release."""
