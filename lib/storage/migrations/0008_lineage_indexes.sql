-- SPDX-License-Identifier: Apache-2.0
-- Who came from a trial, and from an artifact, without reading every edge. Edges of attempt 0 are those of the trial
-- itself, whoever carries it out: the kind `ablated_from`.

CREATE INDEX dl_edge_from ON dl_edge (from_trial, from_study) WHERE from_trial IS NOT NULL;
CREATE INDEX dl_edge_artifact ON dl_edge (artifact) WHERE artifact <> '';
CREATE INDEX dl_artifact_sha256 ON dl_artifact (sha256);
