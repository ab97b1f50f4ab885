"""Lays the components of every environment out as Kustomize bases, pools and overlays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from compiler.components import all_components
from compiler.components.api import Component, ConfigFiles, Context
from compiler.components.pods import POD_LABEL_INSTANCE
from compiler.kustomize.annotate import annotated, substitution
from compiler.kustomize.generated import config_map, hashed_name, rename_config_maps
from compiler.kustomize.patches import UserPatch, check_targets
from compiler.kustomize.strategic import patch_for
from compiler.kustomize.tree import Root, Tree, kustomization
from compiler.model.environment import Environment
from compiler.model.overlay import NodePool
from compiler.model.stack import GPUStack
from compiler.objects import Obj, object_id
from compiler.yaml.emit import emit

ROOTS = ("stack", "monitoring")


def lay_out(stack: GPUStack, environments: Sequence[Environment], patches: Mapping[str, Sequence[UserPatch]]) -> Tree:
    """Return the tree of `out/`.

    `stack` is base/stack.yaml itself; each environment carries the stack as its overlay overrides it. `patches` holds
    the user's patches by environment. Raises InputError for a patch that matches nothing.
    """
    tree = Tree()
    for environment in environments:
        _Overlay(tree, stack, environment, patches.get(environment.name, ())).add()
    return tree


class _Overlay:
    """Adds one environment, and the bases that it uses."""

    def __init__(self, tree: Tree, base: GPUStack, environment: Environment, patches: Sequence[UserPatch]) -> None:
        self.tree = tree
        self.folder = f"overlays/{environment.name}"
        self.base = Context(base)
        self.plain = Context(environment.stack)
        self.context = Context(environment.stack, environment.overlay)
        self.patches = patches
        self.components = [c for c in all_components() if c.enabled(environment.stack)]

    def add(self) -> None:
        for root in ROOTS:
            components = [c for c in self.components if c.root == root]
            if components:
                self._add_root(root, components)

    def _add_root(self, root: str, components: list[Component]) -> None:
        folder = self.folder if root == "stack" else f"{self.folder}/{root}"
        resources, changes, expected = [], [], []
        for component in components:
            where = self._add_base(component, pooled=False)
            if where is not None:
                resources.append(_relative(folder, where))
            base = {object_id(obj) for obj in _shared(component, self.plain)}
            shared = _shared(component, self.context)
            resources += [self.tree.add_object(folder, obj) for obj in shared if object_id(obj) not in base]
            changes += self._add_patches(folder, _shared(component, self.plain), shared)
            expected += _generated(shared, component.shared_config(self.context), self.context.namespace)
        for pool in self.context.pools:
            objects = self._add_pool(folder, pool, components)
            if objects:
                resources.append(f"pools/{pool.name}")
                expected += objects
        own = [patch for patch in self.patches if patch.root == root]
        check_targets(own, expected)
        for patch in own:
            self.tree.add(f"{folder}/{patch.target_path}", patch.text, "patch")
        content: Obj = {"resources": sorted(resources), "patches": [{"path": path} for path in changes]}
        plain = kustomization(content) if own else None
        content["patches"] = content["patches"] + [patch.entry() for patch in own]
        self.tree.add_kustomization(folder, content)
        self.tree.roots[folder] = Root(tuple(expected), self.context.stack.kubernetes.version, plain)

    def _add_base(self, component: Component, *, pooled: bool) -> str | None:
        """Add a component's base and return its folder; where an override changes it, the overlay has its own base."""
        sub = "/pool" if pooled else ""
        files = _base_files(component, self.plain, pooled=pooled)
        if not files:
            return None
        same = self.plain == self.base or (
            component.enabled(self.base.stack) and files == _base_files(component, self.base, pooled=pooled)
        )
        folder = f"base/{component.name}{sub}" if same else f"{self.folder}/base/{component.name}{sub}"
        objects = _pooled(component, self.plain, None) if pooled else _shared(component, self.plain)
        config = [] if pooled else component.shared_config(self.plain)
        names = [self.tree.add_object(folder, obj) for obj in objects]
        self.tree.add_kustomization(
            folder,
            {"resources": sorted(names), "configMapGenerator": self._add_config(folder, config)},
        )
        return folder

    def _add_config(self, folder: str, config: Iterable[ConfigFiles]) -> list[Obj]:
        """Add the files of generated ConfigMaps; return the generators."""
        generators = []
        for item in config:
            for key, text in item.files.items():
                self.tree.add(f"{folder}/{item.name}/{key}", text, "data")
            paths = [f"{item.name}/{key}" for key in sorted(item.files)]
            options = {"options": {"annotations": added}} if (added := substitution(item.files)) else {}
            generators.append({"name": item.name, "namespace": self.context.namespace, "files": paths, **options})
        return generators

    def _add_patches(self, folder: str, before: list[Obj], after: list[Obj]) -> list[str]:
        """Add a patch for every object that differs; return the patches' file names."""
        names = []
        base = {object_id(obj): obj for obj in before}
        for obj in after:
            patch = patch_for(base.get(object_id(obj), obj), obj)
            if patch:
                name = f"{obj['kind'].lower()}-{obj['metadata']['name']}.patch.yaml"
                self.tree.add(f"{folder}/{name}", emit(patch), "patch")
                names.append(name)
        return sorted(names)

    def _add_pool(self, root: str, pool: NodePool, components: list[Component]) -> list[Obj]:
        """Add a pool's folder; return the objects it must build to, none where no component has pooled objects."""
        folder = f"{root}/pools/{pool.name}"
        resources, changes, config, objects = [], [], [], []
        for component in components:
            if not component.runs_on(pool):
                continue
            where = self._add_base(component, pooled=True)
            if where is None:
                continue
            resources.append(_relative(folder, where))
            final = _pooled(component, self.context, pool)
            changes += self._add_patches(folder, _pooled(component, self.plain, None), final)
            config += component.pool_config(self.context, pool)
            objects += final
        if not resources:
            return []
        self.tree.add_kustomization(
            folder,
            {
                "resources": sorted(resources),
                "nameSuffix": f"-{pool.name}",
                "labels": [{"pairs": {POD_LABEL_INSTANCE: pool.name}, "includeSelectors": True}],
                "configMapGenerator": self._add_config(folder, config),
                "patches": [{"path": path} for path in sorted(changes)],
            },
        )
        suffixed = [ConfigFiles(f"{item.name}-{pool.name}", item.files) for item in config]
        renames = {item.name: f"{item.name}-{pool.name}" for item in config}
        instance = {POD_LABEL_INSTANCE: pool.name}
        named = [_suffixed(rename_config_maps(obj, renames), pool.name, instance) for obj in objects]
        return _generated(named, suffixed, self.context.namespace, instance)


def _base_files(component: Component, context: Context, *, pooled: bool) -> list[object]:
    """Return everything a base is made of, for comparison."""
    if pooled:
        return list(_pooled(component, context, None))
    return [*_shared(component, context), *component.shared_config(context)]


def _shared(component: Component, context: Context) -> list[Obj]:
    return [annotated(obj, context.stack) for obj in component.shared(context)]


def _pooled(component: Component, context: Context, pool: NodePool | None) -> list[Obj]:
    return [annotated(obj, context.stack) for obj in component.pooled(context, pool)]


def _relative(folder: str, target: str) -> str:
    """Return a path from one folder of out/ to another, as Kustomize wants it."""
    if target.startswith(f"{folder}/"):
        return target.removeprefix(f"{folder}/")
    parts, other = folder.split("/"), target.split("/")
    common = 0
    while common < min(len(parts), len(other)) and parts[common] == other[common]:
        common += 1
    return "/".join([".."] * (len(parts) - common) + other[common:])


def _generated(
    objects: list[Obj], config: Iterable[ConfigFiles], namespace: str, labels: dict[str, str] | None = None
) -> list[Obj]:
    """Return the objects with their generated ConfigMaps, all references under the hashed names."""
    items = list(config)
    names = {item.name: hashed_name(item.name, item.files) for item in items}
    maps = [config_map(item.name, namespace, item.files, labels) for item in items]
    return [rename_config_maps(obj, names) for obj in objects] + maps


def _suffixed(obj: Obj, pool: str, instance: dict[str, str]) -> Obj:
    """Return a pooled workload as Kustomize's nameSuffix and labels leave it."""
    meta, spec = obj["metadata"], obj["spec"]
    template = spec["template"]
    template_meta = {**template["metadata"], "labels": {**template["metadata"]["labels"], **instance}}
    return {
        **obj,
        "metadata": {**meta, "name": f"{meta['name']}-{pool}", "labels": {**meta["labels"], **instance}},
        "spec": {
            **spec,
            "selector": {"matchLabels": {**spec["selector"]["matchLabels"], **instance}},
            "template": {**template, "metadata": template_meta},
        },
    }
