package io.csi4j.examples;

import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.conformance.model.OrchestratorSetting;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import io.csi4j.conformance.model.ScenarioWorkload;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.cluster.Cluster;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.workload.VolumeRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A cluster of one node, for the suite for orchestrators: a control plane and an agent as they are.
 * Write yours like this one; what the suite needs are mount, unmount and close.
 */
final class ManagedNode implements OrchestratorUnderTest {

  private static final NodeName NODE = NodeName.of("n1");
  private static final PluginId PLUGIN = PluginId.of("plugin-under-test");

  private final Cluster cluster;
  private final NodeAgent agent;

  ManagedNode(OrchestratorSetting setting) {
    Duration call = setting.callDeadline();
    // The plugin of the suite makes plain directories and files, and mounts nothing.
    MountPolicy.Builder policy = MountPolicy.builder().requireMount(false).requireDevice(false);
    policy.attemptDeadline(call).quarantine(call.multipliedBy(2));
    cluster =
        Cluster.builder(setting.directory().resolve("store"))
            .plugin(PLUGIN, setting.controller())
            .secrets(name -> operation -> setting.secrets(VolumeId.of(name.value()), operation))
            .policy(each -> each.attemptDeadline(call))
            .open();
    agent =
        NodeAgent.builder(NODE, setting.directory().resolve("v"), cluster)
            .plugin(PluginConfig.builder(PLUGIN.value(), setting.node()).policy(policy.build()))
            .secrets(name -> operation -> setting.secrets(VolumeId.of(name.value()), operation))
            .open();
    agent.awaitPlugin(PLUGIN, Duration.ofSeconds(30));
  }

  private static VolumeUse usage(VolumeId volume, ScenarioWorkload workload) {
    return VolumeUse.of(VolumeKey.of(volume.value()), WorkloadId.of(workload.encoded()));
  }

  /** Registers the volume, claims it and has it attached, or finds that this was done. */
  private VolumeUse claimed(MountOrder order) {
    VolumeUse usage = usage(order.volume(), order.workload());
    SecretsReference secrets = SecretsReference.of(order.volume().value());
    VolumeSpec spec = VolumeSpec.builder(PLUGIN).use(order.capability()).secrets(secrets).build();
    CatalogVolume.Builder volume = CatalogVolume.builder(usage.volume(), spec, order.volume());
    cluster.volumes().register(volume.context(order.context()).build());
    VolumeRequest.Builder request = VolumeRequest.csi("volume").use(order.capability());
    return cluster.acquire(NODE, usage, request.readOnly(order.readonly()).build()).usage();
  }

  @Override
  public Path mount(MountOrder order) {
    return agent.mount(claimed(order)).path();
  }

  @Override
  public void refresh(MountOrder order) {
    var unused = agent.refresh(claimed(order));
  }

  @Override
  public void unmount(VolumeId volume, ScenarioWorkload workload) {
    agent.release(usage(volume, workload));
    cluster.release(usage(volume, workload)).requireGone();
  }

  @Override
  public Optional<Path> mountInline(
      String volume, ScenarioWorkload workload, VolumeContext attributes) {
    MountRequest.Builder inline = MountRequest.inline(PLUGIN, usage(VolumeId.of(volume), workload));
    return Optional.of(agent.manager().mount(inline.volumeContext(attributes).build()).path());
  }

  @Override
  public void close() {
    agent.close();
    cluster.close();
  }
}
