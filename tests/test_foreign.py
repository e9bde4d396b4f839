"""Every key of two other tools is ours, has its place here, or is known to have none."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ftlang.names.foreign_blocks import BLOCKS
from ftlang.schema import foreign_names, homes, signatures
from ftlang.schema.block import declared
from ftlang.schema.data import Dataset
from ftlang.schema.foreign import KINDS, WRITTEN, foreign
from ftlang.schema.run import Run
from tests.conftest import ROOT
from tests.test_homes import BLOCKS as PATHS
from tests.test_homes import CLASSES, DECLARED, exists

# Keys without a counterpart here, by the reason.
WITHOUT: dict[str, str] = {
    "a word with other meanings elsewhere": """
        name type path split field host port roles role start end length skip device enabled stride
        shards task lang strict offload
    """,
    "the tool's own or derived": """
        is_falcon_derived_model is_llama_derived_model is_mistral_derived_model
        is_qwen_derived_model world_size is_preprocess preprocess_iterable total_num_tokens
        total_supervised_tokens axolotl_config_path capabilities env_capabilities
        sample_packing_eff_est input_format input_transform
        field_human field_model ds_type use_v1_kernels infer_dtype trainer_cls
        experimental_skip_move_to_device print_param_status
    """,
    "the script tokenizes, caches and batches as it does": """
        overwrite_cache preprocessing_batch_size preprocessing_num_workers tokenized_path
        data_shared_file_system dataset_prepared_path num_dataset_shards_to_save
        skip_prepare_dataset dataset_processes dataset_keep_in_memory push_dataset_to_hub
        sample_packing_group_size sample_packing_bin_size sample_packing_sequentially
        sample_packing_mp_start_method multipack_real_batches pad_to_sequence_len
        ignore_pad_token_for_loss buffer_size streaming_multipack_buffer_size
        pretrain_multipack_buffer_size pretrain_multipack_attn shuffle_before_merging_datasets
        dataset_shard_num dataset_shard_idx shards_idx preprocess_shards
        dataset_exact_deduplication min_sample_len max_prompt_len media_dir
    """,
    "always so, or never": """
        save_safetensors plot_loss include_effective_tokens_per_second include_tokens_per_second
        include_tkps tokenizer_save_jinja_files low_cpu_mem_usage use_kv_cache
        export_legacy_format calculate_per_token_loss cut_cross_entropy chunked_cross_entropy
        chunked_cross_entropy_num_chunks peft_autocast_adapter_dtype skip_special_tokens
        dpo_padding_free
    """,
    "continuing an adapter": """
        adapter_name_or_path adapter_folder lora_model_dir create_new_adapter lora_on_cpu
        merge_method pissa_convert ref_model_adapters ref_model_quantization_bit
        reward_model_adapters reward_model_quantization_bit reward_model_type
    """,
    "another stack": """
        use_unsloth infer_backend use_mca use_megatron_bridge megatron_bridge_args
        use_hyper_parallel hyper_parallel_args use_kt kt_cpu_activation kt_weight_path
        kt_non_expert_weight_path kt_expert_checkpoint_path kt_use_lora_experts
        kt_lora_expert_num kt_lora_expert_intermediate_size ms_hub_token om_hub_token
        ray_num_workers ray_init_kwargs ray_run_name use_ray resources_per_worker master_addr
        master_port use_onebitllms torchdistx_path llmcompressor hatchery
        pipeline_model_parallel_size expert_model_parallel_size
        virtual_pipeline_model_parallel_size recompute_method recompute_num_layers
        account_for_embedding_in_pipeline_split account_for_loss_in_pipeline_split
        bias_activation_fusion apply_rope_fusion masked_softmax_fusion cross_entropy_loss_fusion
        moe_grouped_gemm moe_token_dispatcher_type use_distributed_optimizer
        overlap_param_gather overlap_grad_reduce megatron_pretrained_checkpoint
        export_hf_on_finish extra_config deepcompile ddp dp_replicate_size heads_k_stride
        ring_attn_func fsdp_final_state_dict_type expert_parallel_size
        tokenizer_use_mistral_common fp8_backend fp8_enable_fsdp_float8_all_gather
        quantization_device_map
    """,
    "inference and evaluation suites": """
        vllm_enforce_eager vllm_max_lora_rank vllm_config sglang_maxlen sglang_mem_fraction
        sglang_tp_size sglang_config sglang_lora_backend do_sample num_beams max_new_tokens
        length_penalty task_dir n_shot download_mode eval_num_beams generation_max_length
        generation_num_beams gradio_title gradio_share gradio_server_name gradio_server_port
        gradio_max_new_tokens gradio_temperature do_bench_eval bench_dataset bench_split
        generation_max_new_tokens generation_temperature generation_top_p generation_top_k
        generation_prompt_ratio generation_do_sample eval_max_new_tokens lm_eval_tasks
        lm_eval_batch_size lm_eval_post_train lm_eval_model data_parallel_size
        enable_prefix_caching enable_reasoning reasoning_parser enforce_eager serve_module
        worker_extension_cls export_device export_quantization_bit export_quantization_dataset
        export_quantization_nsamples export_quantization_maxlen use_audio_in_video
    """,
    "models are trained as they are": """
        resize_vocab rope_scaling shift_attn mixture_of_depths upcast_layernorm
        upcast_lmhead_output train_from_scratch base_model_config cls_model_config model_config
        reinit_weights gpu_memory_limit llama4_linearized_experts quantize_moe_experts
        resize_token_embeddings_to_32x mean_resizing_embeddings shrink_embeddings
        embeddings_skip_upcast fix_untrained_tokens tokenizer_config tokenizer_legacy
        added_tokens_overrides image_resize_algorithm bos_token unk_token fp32_norms
        fp32_norm_classes s2_attention tool_format template_thinking_key qlora_sharded_model_loading
        use_pose pose_split_on_token_ids pose_max_context_len pose_num_chunks
    """,
    "kernels and memory tricks of the tool": """
        xformers_attention sage_attention flex_attn_compile_kwargs flash_attn_cross_entropy
        flash_attn_fuse_mlp flash_optimum sdpa_varlen large_head_attention flash_attn_d512
        gemma4_hybrid_attn_impl fused_attn_kernel scaling_softmax scaling_softmax_factor
        scaling_softmax_bias lora_mlp_kernel lora_qkv_kernel lora_o_kernel lora_embedding_kernel
        tiled_mlp tiled_mlp_num_shards tiled_mlp_use_original_mlp torch_compile_options
        layer_offloading gc_collect_steps gc_steps flash_attn_rms_norm liger_rms_norm_gated
        liger_use_token_scaling expert_backend nonexpert_quantization moe_grouped_backend
        moe_dequant_chunk_size moe_bnb_fast use_scattermoe use_sonicmoe use_dsv4_kernels
        use_glm_dsa_kernels dsv4_fp8_nonexpert_mode dsv4_fp8_lora_kernel
        dsv4_shared_mlp_lora_kernel dsv4_bf16_all dsv4_fp4_grouped_mode gemma4_fp8_nonexpert
        gemma4_nf4_nonexpert nvfp4_merge_aware nvfp4_merge_aware_start_step
        save_sliding_window recompute_layer_types profile_modules
    """,
    "methods, losses and optimizers that are not here": """
        use_llama_pro use_adam_mini use_asft_loss asft_alpha use_eaft_loss eaft_alpha use_eaft
        eaft_k loraplus_lr_ratio loraplus_lr_embedding ppo_buffer_size ppo_epochs ppo_score_norm
        ppo_target ppo_whiten_rewards apollo_scale_front use_badam badam_mode badam_start_block
        badam_switch_mode badam_switch_interval badam_update_ratio badam_mask_mode badam_verbose
        relora relora_prune_ratio relora_prune_method relora_cpu_offload jagged_restart_steps
        jagged_restart_warmup_steps jagged_restart_anneal_steps lisa_n_layers lisa_step_interval
        lisa_layers_attribute qat quantize_embedding fake_quant_after_n_steps embedding_lr
        embedding_lr_scale lr_groups lr_quadratic_warmup cosine_constant_lr_ratio lr_div_factor
        adam_beta3 adam_epsilon2 dion_lr dion_momentum dion_rank_fraction dion_rank_multiple_of
        qgalore_rank qgalore_update_proj_gap qgalore_scale qgalore_proj_type qgalore_proj_quant
        qgalore_proj_bits qgalore_proj_group_size qgalore_cos_threshold qgalore_gamma_proj
        qgalore_queue_size ebft process_reward_model num_labels dpo_use_logits_to_keep
        dpo_norm_loss use_data_producer async_prefetch prefetch_depth vllm_sync_interval
        streaming_partial_batch streaming_min_groups reward_num_workers replay_buffer_size
        replay_recompute_logps reroll_start_fraction reroll_max_groups
        skip_zero_advantage_batches vllm_lora_sync feature_layers embed_method use_whitening
        alignment_coef diversity_coef ce_coef adaptive_max_tokens gt_length_multiplier
        context_length generate_max_len n_samples_per_prompt rl_coef advantage_estimator
        min_completion_prefix logprobs_field step_separator train_on_last_step_only
        sequence_length min_input_id max_input_id spectrum_top_fraction spectrum_model_name
        kd_trainer kd_ce_alpha kd_alpha kd_temperature kd_normalize_topk kd_beta
        kd_online_server_base_url kd_online_topk kd_online_server kd_online_timeout
        kd_temperature_min grokfast_alpha grokfast_lamb dense_mixer diffusion mora
    """,
    "details of masks that `loss_on` does not have": """
        role_boundaries include_start include_end message_field_training
        message_field_training_detail train_on_eos train_on_eot drop_system_message
    """,
    "details of sharding that the script derives": """
        sync_module_states cpu_ram_efficient_loading cpu_offload_pin_memory use_orig_params
        state_dict_type final_state_dict_type auto_wrap_policy transformer_layer_cls_to_wrap
        min_num_params
    """,
    "settings of trackers, which read their own environment": """
        swanlab_project swanlab_workspace swanlab_mode swanlab_api_key swanlab_logdir
        swanlab_lark_webhook_url swanlab_lark_secret wandb_entity wandb_run_id wandb_mode
        wandb_watch wandb_log_model mlflow_tracking_uri mlflow_experiment_name
        hf_mlflow_log_artifacts comet_api_key comet_workspace comet_project_name
        comet_experiment_key comet_mode comet_online comet_experiment_config use_otel_metrics
        otel_metrics_host otel_metrics_port
    """,
    "checkpoints on demand": "save_first_step dynamic_checkpoint check_interval trigger_file_path",
}
NONE_HERE = {key: why for why, keys in WITHOUT.items() for key in keys.split()}


def keys_of_llama_factory(text: str) -> Iterator[str]:
    """First columns of the tables of arguments, without the internal ones."""
    for line in text.partition("## Environment")[0].splitlines():
        row = re.match(r"\| ([a-z][^|]*?) \|", line)
        if row and row[1] not in ("name", "field"):
            names = (part.partition("=")[0] for part in re.split(r"[ /,]+", row[1]))
            yield from (name for name in names if re.fullmatch(r"[a-z]\w*", name))


def keys_of_axolotl(text: str) -> Iterator[str]:
    """First columns of the tables of keys, nested ones by their last part, and plugins' keys."""
    plugins = False
    for line in text.partition("## Enums")[0].splitlines():
        plugins = "Plugin keys" in line if line.startswith("## ") else plugins
        if row := re.match(r"\| `(\w+)` \|", line):
            yield row[1]
        elif plugins and line.startswith("| "):
            yield from re.findall(r"`([a-z]\w*):?`", line.split("|")[2])


def own_fields() -> set[str]:
    """Names of fields that the schema declares."""
    return {path.rpartition(".")[2] for path, _ in DECLARED} | {*declared(Dataset)}


def names_here() -> set[str]:
    """Every name that some block has: fields, blocks and passed arguments."""
    found = own_fields() | {path.rpartition(".")[2] for path in PATHS}
    for class_name in CLASSES:
        for block in homes.blocks():
            found.update(homes.passed(block, class_name))
    for kind in signatures.schedulers():
        found.update(argument.name for argument in signatures.scheduler_arguments(kind))
    return found


def test_every_key_has_a_place_or_a_reason(shared: Callable[[str], Path]) -> None:
    one = shared("reference/llamafactory/arguments.md").read_text("utf-8")
    other = shared("reference/axolotl/config.md").read_text("utf-8")
    found = [set(keys_of_llama_factory(one)), set(keys_of_axolotl(other))]
    assert [len(found[0]) >= 280, len(found[1]) >= 600] == [True, True]
    here = names_here() | BLOCKS.keys()
    keys = found[0] | found[1]
    placed = {key for key in keys if key in here or foreign(key) or homes.closed(key)}
    assert sorted(keys - placed - NONE_HERE.keys()) == []
    assert sorted(NONE_HERE.keys() - keys) == [], "no tool has these keys"


def test_a_key_without_a_counterpart_has_none() -> None:
    assert sorted(key for key in NONE_HERE if foreign(key) or homes.closed(key)) == []
    assert len(NONE_HERE) == sum(len(keys.split()) for keys in WITHOUT.values())


def stands(path: str) -> bool:
    """Whether a run or a `dataset` has it, or one kind of schedule."""
    block, _, name = path.partition(".")
    if exists(path) or (block == "dataset" and name in declared(Dataset)):
        return True
    kinds = signatures.schedulers() if block == "schedule" else ()
    return any(name == a.name for kind in kinds for a in signatures.scheduler_arguments(kind))


@pytest.mark.parametrize("owner", [owner for owner, _ in foreign_names.OWNERS])
def test_every_place_exists(owner: str) -> None:
    names = dict(foreign_names.OWNERS)[owner]
    targets = {entry if isinstance(entry, str) else entry[0] for entry in names.values()}
    missing = {target for target in targets if not stands(target)}
    assert missing == set()
    assert names.keys() & own_fields() == set(), "a field of ours needs no entry"


def test_what_is_written_has_its_place() -> None:
    assert [here for here in WRITTEN if not stands(here)] == []
    assert {block for block, _ in KINDS} <= {*Run.families, "quantize"}
    assert set(BLOCKS.values()) <= {*Run.families, "quantize"}


def test_a_name_of_several_tools_names_them() -> None:
    several = foreign("warmup_ratio")
    assert several is not None
    assert several.whose == "Axolotl's and older Transformers'"
    assert several.here == "schedule.warmup"
    alone = foreign("cutoff_len")
    assert alone is not None
    assert (alone.whose, alone.written) == ("LLaMA-Factory's", "set `data.max_length`")
    assert foreign("nonsense") is None


def test_the_tables_are_not_read_for_a_spec_of_our_own_fields() -> None:
    program = (
        "import sys; from ftlang.cli import main; main(['check', sys.argv[1]]);"
        "print(*[m for m in sys.modules if m.startswith('ftlang.schema.')])"
    )
    spec = ROOT / "examples" / "quickstart" / "quickstart.ft"
    ran = subprocess.run(
        [sys.executable, "-c", program, str(spec)], capture_output=True, text=True, check=True
    )
    loaded = ran.stdout.splitlines()[-1].split()
    assert "ftlang.schema.block" in loaded
    tables = ("foreign_names", "home_tables", "argument_docs")
    assert [name for name in tables if f"ftlang.schema.{name}" in loaded] == []
