"""GPU Feature Discovery, which labels GPU nodes with product, memory, driver and sharing."""

from __future__ import annotations

from compiler.components import plugin_config
from compiler.components.api import Component, Context
from compiler.components.device_plugin import REPOSITORY
from compiler.components.pods import (
    Volumes,
    bound,
    container_security,
    env,
    field_env,
    gpu_pod,
    image,
    labels,
    metadata,
    resources,
    selector,
    service_account,
    update_strategy,
    workload,
)
from compiler.model.kube import ImageSettings
from compiler.model.overlay import NodePool
from compiler.model.stack import GPUStack
from compiler.objects import Obj

NAME = "gpu-feature-discovery"


class GpuFeatureDiscovery(Component):
    """GFD publishes its labels as a NodeFeature object of its own namespace, which NFD's master turns into node labels.

    It reads the same configuration as the plugin, or its labels would tell of another sharing. Source:
    k8s-device-plugin, internal/lm/output.go: it gets, creates and updates one NodeFeature, and reads its own pod to be
    the owner.
    """

    name = "gpu-feature-discovery"

    def enabled(self, stack: GPUStack) -> bool:
        """Whether the stack has GFD."""
        return stack.gpu_feature_discovery.enabled

    def shared(self, context: Context) -> list[Obj]:
        """Return account, role and binding; a namespaced role is enough."""
        own, namespace = labels(NAME, "gpu-feature-discovery"), context.namespace
        rules = [
            {
                "apiGroups": ["nfd.k8s-sigs.io"],
                "resources": ["nodefeatures"],
                "verbs": ["get", "list", "watch", "create", "update"],
            },
            {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]},
        ]
        return [service_account(NAME, namespace, own), *bound("Role", NAME, namespace, own, rules)]

    def pooled(self, context: Context, pool: NodePool | None) -> list[Obj]:
        """Return the DaemonSet; it shares the plugin's image."""
        stack, settings, plugin = context.stack, context.stack.gpu_feature_discovery, context.stack.device_plugin
        source = _image_settings(stack)
        volumes = Volumes()
        plugin_config.mount(volumes)
        volumes.host("host-sys", "/sys", "/sys", read_only=True, kind="Directory")
        variables = [
            field_env("NODE_NAME", "spec.nodeName"),
            field_env("NAMESPACE", "metadata.namespace"),
            field_env("POD_NAME", "metadata.name"),
            *plugin_config.ENV,
        ]
        if settings.sleep_interval != "60s":
            variables.append({"name": "GFD_SLEEP_INTERVAL", "value": settings.sleep_interval})
        if settings.no_timestamp:
            variables.append({"name": "GFD_NO_TIMESTAMP", "value": "true"})
        if pool and pool.mig.strategy != "none":
            variables.append(plugin_config.MIG_ENV)
        container = {
            "name": NAME,
            "image": image(stack, source, REPOSITORY, plugin.version),
            "imagePullPolicy": source.image.pull_policy,
            "command": ["gpu-feature-discovery"],
            "env": env(variables, settings),
            **resources(settings),
            "securityContext": container_security(settings, {"privileged": True}),
            "volumeMounts": volumes.mounts,
        }
        pod = gpu_pod(stack, settings, source, container, volumes.volumes, account=NAME, pool=pool, pools=context.pools)
        return [
            workload(
                "DaemonSet",
                metadata(NAME, context.namespace, labels(NAME, "gpu-feature-discovery")),
                selector(NAME, "gpu-feature-discovery"),
                settings,
                pod,
                spec={"updateStrategy": update_strategy(settings, {"type": "RollingUpdate"})},
            )
        ]


def _image_settings(stack: GPUStack) -> ImageSettings:
    """Return where GFD's image comes from: what its own settings leave open is as for the plugin's image."""
    own, plugin = stack.gpu_feature_discovery, stack.device_plugin
    chosen, usual = own.image, plugin.image
    tag = chosen.tag or (None if chosen.repository else usual.tag)
    elsewhere = chosen.repository or chosen.tag
    image = {
        "repository": chosen.repository or usual.repository,
        "tag": tag,
        "digest": chosen.digest or (None if elsewhere else usual.digest),
        "pull_policy": chosen.pull_policy if "pull_policy" in chosen.model_fields_set else usual.pull_policy,
    }
    secrets = own.image_pull_secrets + (() if chosen.repository else plugin.image_pull_secrets)
    return own.model_copy(update={"image": usual.model_copy(update=image), "image_pull_secrets": secrets})


COMPONENT = GpuFeatureDiscovery()
