-- Twenty questions that compliance officers ask of the record. Each runs as it stands, in psql, in
-- any other client, or with `citebound audit sql "..." --purpose "..."`. Times are UTC.

-- 1. What were people told about gifts in the last 30 days, and how sure were we?
SELECT at, asker, badge, question, answer
  FROM audit.v_answers
 WHERE at >= now() - interval '30 days' AND citations @> '[{"policy": "gifts"}]'
 ORDER BY at DESC;

-- 2. How did questions end, week by week, in the last 12 weeks?
SELECT date_trunc('week', at)::date AS week, outcome, count(*) AS questions
  FROM audit.v_answers
 WHERE at >= now() - interval '12 weeks' AND outcome <> 'ignored'
 GROUP BY week, outcome
 ORDER BY week, outcome;

-- 3. Which share of the answers of the last 90 days carries which badge, in percent?
SELECT badge, count(*) AS answers, round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS share
  FROM audit.v_answers
 WHERE at >= now() - interval '90 days' AND outcome = 'answered'
 GROUP BY badge
 ORDER BY answers DESC;

-- 4. Which Medium answers on gifts did officers judge wrong, and why?
SELECT at, officer, reason, question, answer
  FROM audit.v_reviews
 WHERE verdict = 'wrong' AND badge = 'medium' AND citations @> '[{"policy": "gifts"}]'
 ORDER BY at DESC;

-- 5. Why do questions get no answer? The kinds of the last 90 days.
SELECT kind, count(*) AS questions, count(*) FILTER (WHERE escalated) AS handed_to_officers
  FROM audit.v_refusals
 WHERE at >= now() - interval '90 days'
 GROUP BY kind
 ORDER BY questions DESC, kind;

-- 6. Which topics get no answer, of those that at least five people ask about?
SELECT month, unit, entity, questions, refusals, escalations
  FROM audit.v_unanswered_topics
 WHERE month >= date_trunc('month', now() - interval '2 months')
 ORDER BY month DESC, questions DESC, unit, entity;

-- 7. Where should a policy say more? The sections nearest to what was not answered.
SELECT near->>'policy' AS policy, near->>'section' AS section, count(*) AS questions
  FROM audit.v_refusals, jsonb_array_elements(nearest_sections) AS near
 WHERE at >= now() - interval '90 days' AND kind IN ('policy_silent', 'not_found', 'not_sure')
 GROUP BY policy, section
 ORDER BY questions DESC, policy, section
 LIMIT 20;

-- 8. Which answers should I read first? The least sure of the last 30 days.
SELECT at, badge, calibrated, weakest_feature, dropped_claims, question
  FROM audit.v_low_confidence
 WHERE at >= now() - interval '30 days' AND calibrated < 0.7
 ORDER BY calibrated, at
 LIMIT 50;

-- 9. What makes answers uncertain?
SELECT weakest_feature, count(*) AS answers, round(avg(calibrated), 2) AS calibrated
  FROM audit.v_low_confidence
 WHERE at >= now() - interval '30 days'
 GROUP BY weakest_feature
 ORDER BY answers DESC, weakest_feature;

-- 10. Which sections stand behind answers that people complain about?
SELECT unit, policy, section, answers, negative_feedback, superseded
  FROM audit.v_citations_by_section
 WHERE negative_feedback > 0
 ORDER BY negative_feedback DESC, policy, section, unit
 LIMIT 20;

-- 11. What do people say is wrong, and has an officer looked at it?
SELECT at, rating, reason, comment, badge, reviewed
  FROM audit.v_feedback
 WHERE at >= now() - interval '30 days' AND rating = 'negative' AND counts
 ORDER BY at DESC;

-- 12. Which cases are overdue, the oldest first?
SELECT number, opened_at, due_at, owner, question
  FROM audit.v_open_cases
 WHERE overdue
 ORDER BY due_at;

-- 13. Who has how many open cases, and how many of them are overdue?
SELECT coalesce(owner, 'nobody') AS owner, count(*) AS cases,
       count(*) FILTER (WHERE overdue) AS overdue
  FROM audit.v_open_cases
 GROUP BY owner
 ORDER BY cases DESC, owner;

-- 14. How long do officers take to answer, in hours, by month?
SELECT date_trunc('month', o.at)::date AS month, count(*) AS cases,
       round((percentile_cont(0.5) WITHIN GROUP (
         ORDER BY extract(epoch FROM a.at - o.at)) / 3600)::numeric, 1) AS median_hours
  FROM audit.record o
  JOIN audit.record a ON a.subject = o.subject AND a.tag = 'case:answered'
 WHERE o.tag = 'case:opened' AND o.at >= now() - interval '6 months'
 GROUP BY month
 ORDER BY month;

-- 15. Which replies did not reach whoever asked?
SELECT recorded_at, state, record_id
  FROM audit.v_replies
 WHERE recorded_at >= now() - interval '30 days'
   AND state IN ('withheld', 'uncertain', 'abandoned', 'pending')
 ORDER BY recorded_at DESC;

-- 16. What do we ask back, and how often does the asker never say?
SELECT slot, count(*) AS asked, count(*) FILTER (WHERE reply IS NULL) AS never_answered
  FROM audit.v_clarifications
 WHERE at >= now() - interval '30 days'
 GROUP BY slot
 ORDER BY asked DESC, slot;

-- 17. Which sections contradict each other, and has nobody resolved it?
SELECT unit, sections, questions, found_at, last_at
  FROM audit.v_conflicts
 WHERE resolved_by IS NULL
 ORDER BY questions DESC, found_at;

-- 18. What was one person told? By the pseudonym, which any of their answers shows.
SELECT at, outcome, badge, question, answer
  FROM audit.v_answers
 WHERE asker = 'p-1'
 ORDER BY at;

-- 19. Who changed what that answers rest on in the last 30 days, and what was it before?
SELECT at, actor, what, action, coalesce(item, subject) AS item, before, after
  FROM audit.v_changes
 WHERE at >= now() - interval '30 days'
 ORDER BY at DESC;

-- 20. Who read what in the record in the last 7 days, and why?
SELECT at, officer, action, purpose, statement, record_id
  FROM audit.v_access_log
 WHERE at >= now() - interval '7 days'
 ORDER BY at DESC;
