# SPDX-License-Identifier: Apache-2.0
"""Which tests see a room, as ctest's patterns: first programs that are built alone and take seconds, then all that run its
code."""
NEAR = {
    "study": ["golden_study", "golden_driver"],
    "samplers": ["golden_study", "unit_spec", "golden_importance"],
    "pruners": ["golden_study", "unit_spec"],
    "statistics": ["golden_statistics", "unit_ablation"],
    "ablation": ["unit_spec", "golden_specs"],
    "storage": ["golden_stores", "golden_driver"],
    "driver": ["golden_driver"],
    "dataset": ["unit_readings", "unit_spec", "golden_specs", "unit_data"],
    "train": ["unit_contracts", "golden_torch"],
    "nn": ["unit_contracts", "golden_torch", "unit_train"],
    "warmstart": ["unit_train"],
}
SEEN_BY = {
    "study": "sim_checks|sim_driver|sim_.*_seeds|e2e_driver|contract_search|cli_(members|amend|enqueue|pbt|tune)",
    "samplers": "contract_search|property_samplers|golden_importance|sim_.*_seeds|e2e_population|cli_(learn|pbt|tune)",
    "pruners": "property_pruners|contract_search|sim_.*_seeds|cli_(explain|tune)",
    "statistics": "golden_statistics|property_ablation|unit_ablation|unit_importance|sim_truth|cli_ablate.*",
    "ablation": "property_ablation|golden_specs|sim_ablations|sim_truth|cli_ablate.*|e2e_ablation",
    "storage": "golden_stores|sim_(checks|driver)|cli_(verify|gc|lineage|archive|reuse|selectors)|e2e_driver|faults_(storm|disk|archive|lineage)_test",
    "driver": "sim_.*|e2e_driver|cli_(limits|interrupt|failures|amend|tune|reproduce)|faults_.*",
    "protocol": "golden_specs|e2e_(driver|remote)|fuzz_protocol|faults_(hostile|network|chaos|adoption)_test",
    "dataset": "fuzz|e2e_(formats|use_formats|use|data_plugins)|unit_data|cli_(check|profile|use)",
    "train": "golden_(components|torch|plugins)|e2e_(final|use|reproduce|driver|worker_plugins)|faults_gang_test|"
             "cli_(train|stages|parallel)",
    "nn": "golden_components|golden_torch|unit_train|e2e_use",
    "warmstart": "unit_train|e2e_final|cli_(train|reuse|stages)",
}


def tests_of(file):
    """Patterns for a source below lib/, nearest first."""
    room = file.split("/")[1]
    return [f"unit_{room}", *NEAR.get(room, []), *([SEEN_BY[room]] if room in SEEN_BY else [])]
