"""Which block each library argument stands in, and the arguments that no block takes, with why.

Groups are kinds of classes: configs of trainers, of adapters and of quantizations, and the
`from_pretrained` of models and of tokenizers.  `homes` reads these tables.
"""

from __future__ import annotations

from collections.abc import Mapping

# The config class of each method, and of the quantizations whose kinds have names of our own.
METHODS: Mapping[str, str] = {
    "sft": "SFTConfig",
    "pretrain": "SFTConfig",
    "dpo": "DPOConfig",
    "kto": "KTOConfig",
    "reward_model": "RewardConfig",
    "grpo": "GRPOConfig",
    "rloo": "RLOOConfig",
    "orpo": "ORPOConfig",
    "cpo": "CPOConfig",
    "simpo": "CPOConfig",
    "online_dpo": "OnlineDPOConfig",
    "gkd": "GKDConfig",
    "distillation": "DistillationConfig",
}
QUANTIZE: Mapping[str, str] = dict.fromkeys(("nf4", "fp4", "int8"), "BitsAndBytesConfig")

# Arguments of trainer configs by block.  What a method's config adds stands in `method` unless
# it is listed; what TrainingArguments has must be listed here or closed below.
TRAINER: Mapping[str, tuple[str, ...]] = {
    "training": (
        *("seed", "full_determinism", "average_tokens_across_devices", "label_smoothing_factor"),
        *("neftune_noise_alpha", "tf32", "activation_checkpointing", "activation_offloading"),
        *("activation_checkpointing_kwargs", "torch_compile", "torch_compile_backend"),
        *("torch_compile_mode", "use_liger_kernel", "liger_kernel_config"),
        *("torch_empty_cache_steps", "accelerator_config", "debug"),
    ),
    "data": (
        *("max_length", "packing", "pad_to_multiple_of", "data_seed", "train_sampling_strategy"),
        *("dataloader_drop_last", "dataloader_num_workers", "dataloader_pin_memory"),
        *("dataloader_persistent_workers", "dataloader_prefetch_factor", "dataloader_in_order"),
        "dataloader_multiprocessing_context",
    ),
    "optimizer": (
        *("learning_rate", "weight_decay", "max_grad_norm", "adam_beta1", "adam_beta2"),
        *("adam_epsilon", "optim_args", "optim_target_modules"),
    ),
    "save": (
        *("save_total_limit", "save_only_model", "save_on_each_node", "enable_jit_checkpoint"),
        *("load_best_model_at_end", "metric_for_best_model", "greater_is_better"),
        *("ignore_data_skip", "restore_callback_states_from_checkpoint"),
    ),
    "evaluate": (
        *("eval_delay", "eval_on_start", "eval_accumulation_steps", "eval_do_concat_batches"),
        *("eval_use_gather_object", "batch_eval_metrics", "include_for_metrics"),
        *("prediction_loss_only", "bf16_full_eval", "fp16_full_eval"),
    ),
    "report": (
        *("logging_first_step", "logging_nan_inf_filter", "log_on_each_node", "log_level"),
        *("log_level_replica", "disable_tqdm", "run_name", "project", "skip_memory_metrics"),
        *("trackio_space_id", "trackio_bucket_id", "trackio_static_space_id"),
    ),
    "shard": (
        *("ddp_find_unused_parameters", "ddp_bucket_cap_mb", "ddp_broadcast_buffers"),
        "ddp_static_graph",
    ),
    "launch": ("ddp_backend", "ddp_timeout"),
    "publish": ("hub_strategy", "hub_always_push", "hub_revision"),
}

# Keywords of `from_pretrained` that pass under their own names.
MODEL: tuple[str, ...] = (
    *("dtype", "attn_implementation", "trust_remote_code", "code_revision", "subfolder"),
    *("variant", "use_safetensors", "use_kernels", "allow_all_kernels", "weights_only"),
    *("experts_implementation", "fusion_config", "key_mapping", "ignore_mismatched_sizes"),
    "disable_mmap",
)
TOKENIZER: tuple[str, ...] = ("use_fast", "tokenizer_type", "mistral_format", "subfolder")

_LOADS = "the script loads the model itself"
_ROWS = "the script tokenizes and masks the rows itself, before the trainer sees them"
_FITS = "the batch is global: the plan divides it by the micro batch and the devices"
_HUB = "a switch of the hub's client, for all that a run loads: set it in the environment"
_PLACED = "the trainer places the model on its device"
_OWNED = "the script depends on its value"
_OBJECT = "it takes an object that a spec cannot write"
_REFERENCE = "what the policy is compared with is one choice"
_PART = "the blocks of rewards carry their weights"

# Arguments that no block takes: the field that says it, "" if none does, and why.
CLOSED: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "trainer": {
        "output_dir": ("output", "everything of a run lies in one folder"),
        "per_device_train_batch_size": ("training.micro_batch", _FITS),
        "per_device_eval_batch_size": (
            "training.micro_batch",
            "evaluation fits where training does",
        ),
        "gradient_accumulation_steps": ("training.batch", _FITS),
        "auto_find_batch_size": ("training.micro_batch", _FITS),
        "num_train_epochs": ("training.duration", "one field says how long"),
        "max_steps": ("training.duration", "one field says how long"),
        "bf16": ("training.precision", "one field says how the steps compute"),
        "fp16": ("training.precision", "one field says how the steps compute"),
        "gradient_checkpointing": (
            "training.activation_checkpointing",
            "it is the former name of `activation_checkpointing`",
        ),
        "gradient_checkpointing_kwargs": (
            "training.activation_checkpointing_kwargs",
            "it is the former name of `activation_checkpointing_kwargs`",
        ),
        "use_cache": ("", "training has no use for a cache, and packed rows are wrong with one"),
        "optim": ("optimizer", "the kind of the block names it"),
        "lr_scheduler_type": ("schedule", "the kind of the block names it"),
        "lr_scheduler_kwargs": ("schedule", "each kind has them as fields of its own"),
        "warmup_steps": ("schedule.warmup", "one field says it in steps or as a share"),
        "logging_strategy": ("report.every", "one field says how often"),
        "logging_steps": ("report.every", "one field says how often"),
        "report_to": ("report.to", "one field names the trackers"),
        "include_num_input_tokens_seen": ("", "the script counts tokens for its tokens per second"),
        "eval_strategy": ("evaluate.every", "one field says how often"),
        "eval_steps": ("evaluate.every", "one field says how often"),
        "do_train": ("", "a script trains"),
        "do_eval": ("data.eval", "there is evaluation where there is a set for it"),
        "do_predict": ("", "a script trains; `evaluate.samples` asks for answers"),
        "save_strategy": ("save.every", "one field says how often"),
        "save_steps": ("save.every", "one field says how often"),
        "resume_from_checkpoint": ("save.resume", "the trainer itself never reads this one"),
        "push_to_hub": ("publish", "the block publishes"),
        "hub_model_id": ("publish.repo", "the block publishes"),
        "hub_private_repo": ("publish.private", "the block publishes"),
        "hub_token": ("publish.token", "secrets are read when the script runs"),
        "use_cpu": ("hardware.gpus_per_node", "0 devices mean a CPU"),
        "local_rank": ("", "the launcher sets it"),
        "parallelism_config": ("shard", _OBJECT),
        "fsdp": ("shard", "the kind of the block names it"),
        "fsdp_config": ("shard", "the block has its parts as fields"),
        "deepspeed": ("shard", "the kind of the block names it"),
        "remove_unused_columns": ("", "the script keeps the columns that the trainer reads"),
        "label_names": ("", "the script names the labels' column"),
        "length_column_name": ("", "the lengths are those of the tokens"),
        "model_init_kwargs": ("model", _LOADS + ": its keywords are fields of `model`"),
        "trust_remote_code": ("model.trust_remote_code", _LOADS),
        "chat_template_path": ("data.template", _ROWS),
        "eos_token": ("data.template", "a template names the token that ends a turn"),
        "pad_token": ("tokenizer", "the trainer pads as its tokenizer does"),
        "padding_value": ("tokenizer", "the trainer pads as its tokenizer does"),
        "dataset_text_field": ("data.format", _ROWS),
        "dataset_kwargs": ("", _ROWS),
        "dataset_num_proc": ("", _ROWS),
        "truncation_mode": ("data.too_long", _ROWS),
        "shuffle_dataset": ("data.shuffle", "one field says whether the rows are shuffled"),
        "packing_strategy": ("data.packing", "one field names the strategy, or none"),
        "padding_free": ("data.packing", "packed rows are trained without padding"),
        "eval_packing": ("data.packing", "rows for evaluation are packed as those for training"),
        "completion_only_loss": ("data.loss_on", _ROWS),
        "assistant_only_loss": ("data.loss_on", _ROWS),
        "precompute_ref_log_probs": ("method.reference", _REFERENCE),
        "is_encoder_decoder": ("", "the model's config says it"),
        "generate_during_eval": ("evaluate.samples", "one field asks for answers"),
        "generation_batch_size": ("training.generation_batch", _FITS),
        "steps_per_generation": ("training.generation_batch", _FITS),
        "reward_weights": ("method.reward.weight", _PART),
        "reward_model_path": ("method.reward", _PART),
        "use_transformers_paged": (
            "method.use_transformers_continuous_batching",
            "it is the former name of `use_transformers_continuous_batching`",
        ),
        "vllm_importance_sampling_cap": (
            "method.vllm_importance_sampling_clip_max",
            "it is the former name of `vllm_importance_sampling_clip_max`",
        ),
    },
    "tuner": {
        "task_type": ("method", "what is learnt says which head the model has"),
        "peft_type": ("tune", "the kind of the block names it"),
        "auto_mapping": ("", "PEFT fills it in"),
        "peft_version": ("", "PEFT fills it in"),
        "base_model_name_or_path": ("model.base", "one field names the base"),
        "revision": ("model.base", "one field names the base and its revision"),
        "inference_mode": ("", "an adapter in inference mode has nothing to train"),
        "runtime_config": ("", "it is about loading, and is not saved with the adapter"),
    },
    "quantization": {
        "quant_method": ("model.quantize", "the kind of the block names it"),
        "gguf_file": ("model.base", "one field names the base"),
    },
    "model": {
        "pretrained_model_name_or_path": ("model.base", "one field names the base"),
        "revision": ("model.base", "one field names the base and its revision"),
        "token": ("model.base", "a base has its token: `hf(…, token = secret(…))`"),
        "gguf_file": ("model.base", "one field names the base: `gguf(…)`"),
        "torch_dtype": ("model.dtype", "it is the former name of `dtype`"),
        "quantization_config": ("model.quantize", "the block makes it"),
        "config": ("", _OBJECT),
        "generation_config": ("", _OBJECT),
        "kernel_config": ("", _OBJECT),
        "state_dict": ("", _OBJECT),
        "tqdm_class": ("", _OBJECT),
        "output_loading_info": ("", _OWNED),
        "adapter_name": ("tune", "the script adds the adapter itself"),
        "adapter_kwargs": ("tune", "the script adds the adapter itself"),
        "device_map": ("shard", _PLACED),
        "max_memory": ("shard", _PLACED),
        "offload_folder": ("shard", _PLACED),
        "offload_buffers": ("shard", _PLACED),
        "device_mesh": ("shard", _OBJECT),
        "distributed_config": ("shard", _OBJECT),
        "tp_plan": ("shard.tp", "one field says it"),
        "tp_size": ("shard.tp", "one field says it"),
        "cache_dir": ("", _HUB + " (HF_HOME)"),
        "force_download": ("", "a run never fetches what the cache has"),
        "local_files_only": ("", _HUB + " (HF_HUB_OFFLINE)"),
        "proxies": ("", _HUB + " (HTTPS_PROXY)"),
    },
    "tokenizer": {
        "pretrained_model_name_or_path": ("model.base", "the base has its tokenizer"),
        "revision": ("model.base", "the base has its tokenizer"),
        "token": ("model.base", "a base has its token: `hf(…, token = secret(…))`"),
        "gguf_file": ("model.base", "one field names the base: `gguf(…)`"),
        "trust_remote_code": ("model.trust_remote_code", "one field trusts a base's code"),
        "code_revision": ("model.code_revision", "one field pins a base's code"),
        "config": ("", _OBJECT),
        "cache_dir": ("", _HUB + " (HF_HOME)"),
        "force_download": ("", "a run never fetches what the cache has"),
        "local_files_only": ("", _HUB + " (HF_HUB_OFFLINE)"),
        "proxies": ("", _HUB + " (HTTPS_PROXY)"),
    },
}

# The same for one class alone, where its argument means something else.
CLOSED_OF_CLASS: Mapping[tuple[str, str], tuple[str, str]] = {
    ("ORPOConfig", "max_completion_length"): ("data.max_length", "only encoder-decoders read it"),
    ("CPOConfig", "max_completion_length"): ("data.max_length", "only encoder-decoders read it"),
    ("BitsAndBytesConfig", "load_in_4bit"): ("model.quantize", "the kind of the block says it"),
    ("BitsAndBytesConfig", "load_in_8bit"): ("model.quantize", "the kind of the block says it"),
    ("BitsAndBytesConfig", "bnb_4bit_quant_type"): (
        "model.quantize",
        "the kind of the block says it",
    ),
}
