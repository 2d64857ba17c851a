package io.csi4j.examples;

import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.conformance.model.OrchestratorSetting;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import io.csi4j.conformance.model.ScenarioWorkload;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.plugin.PluginConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The agent of a node that belongs to no cluster, for the suite for orchestrators. */
final class AgentAlone implements OrchestratorUnderTest {

  private static final PluginId PLUGIN = PluginId.of("plugin-under-test");

  private final OrchestratorSetting setting;
  private final NodeAgent agent;

  AgentAlone(OrchestratorSetting setting) {
    this.setting = setting;
    Duration call = setting.callDeadline();
    // The plugin of the suite makes plain directories and files, and mounts nothing.
    MountPolicy.Builder policy = MountPolicy.builder().requireMount(false).requireDevice(false);
    policy.attemptDeadline(call).quarantine(call.multipliedBy(2));
    agent =
        NodeAgent.builder(NodeName.of("n1"), setting.directory().resolve("v"))
            .plugin(PluginConfig.builder(PLUGIN.value(), setting.node()).policy(policy.build()))
            .open();
    agent.awaitPlugin(PLUGIN, Duration.ofSeconds(30));
  }

  private static VolumeUse usage(VolumeId volume, ScenarioWorkload workload) {
    return VolumeUse.of(VolumeKey.of(volume.value()), WorkloadId.of(workload.encoded()));
  }

  private MountRequest request(MountOrder order) {
    VolumeUse usage = usage(order.volume(), order.workload());
    return MountRequest.builder(PLUGIN, usage, order.volume(), order.capability().accessMode())
        .block(order.capability().isBlock())
        .volumeOptions(order.capability().mountOptions().orElseGet(MountOptions::none))
        .readOnly(order.readonly())
        .volumeContext(order.context())
        .secrets(operation -> setting.secrets(order.volume(), operation))
        .build();
  }

  @Override
  public Path mount(MountOrder order) {
    return agent.manager().mount(request(order)).path();
  }

  @Override
  public void refresh(MountOrder order) {
    var unused = agent.manager().refresh(request(order));
  }

  @Override
  public void unmount(VolumeId volume, ScenarioWorkload workload) {
    var unused = agent.manager().unmount(usage(volume, workload));
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
  }
}
