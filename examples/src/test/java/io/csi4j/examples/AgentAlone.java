package io.csi4j.examples;

import io.csi4j.client.model.AccessMode;
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
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginRole;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** The agent of one node, for the suite for orchestrators; alone, or with a control plane. */
final class AgentAlone implements OrchestratorUnderTest {

  static final PluginId PLUGIN = PluginId.of("plugin-under-test");
  static final NodeName NODE = NodeName.of("n1");

  private final OrchestratorSetting setting;
  private final Supplier<NodeAgent.Builder> next;
  private volatile NodeAgent agent;

  AgentAlone(OrchestratorSetting setting) {
    this(setting, () -> NodeAgent.builder(NODE, volumes(setting)));
  }

  /**
   * An agent that is opened anew after each crash.
   *
   * @param next begins with the next agent
   */
  AgentAlone(OrchestratorSetting setting, Supplier<NodeAgent.Builder> next) {
    this.setting = setting;
    this.next = next;
    agent = open();
  }

  static Path volumes(OrchestratorSetting setting) {
    return setting.directory().resolve("v");
  }

  private NodeAgent open() {
    Duration call = setting.callDeadline();
    // The plugin of the suite makes plain directories and files, and mounts nothing.
    MountPolicy.Builder policy =
        MountPolicy.builder()
            .requireMount(false)
            .requireDevice(false)
            .attemptDeadline(call)
            .quarantine(call.multipliedBy(2));
    ManagerSettings settings = ManagerSettings.builder().closing(Duration.ofMillis(100)).build();
    NodeAgent opened =
        next.get()
            .plugin(PluginConfig.builder(PLUGIN.value(), setting.node()).policy(policy.build()))
            .secrets(name -> secrets(setting, name))
            .manager(it -> it.settings(settings))
            .open();
    opened.manager().plugins().await(PLUGIN, PluginRole.NODE, Duration.ofSeconds(30)).join();
    opened.exchange();
    return opened;
  }

  static SecretsProvider secrets(OrchestratorSetting setting, String volume) {
    return operation -> setting.secrets(VolumeId.of(volume), operation);
  }

  /** The names of a host have no control characters; those of the suite may. */
  static VolumeUse usage(VolumeId volume, ScenarioWorkload workload) {
    String name = URLEncoder.encode(workload.value(), StandardCharsets.UTF_8);
    return VolumeUse.of(VolumeKey.of(volume.value()), WorkloadId.of(name));
  }

  NodeAgent agent() {
    return agent;
  }

  private MountRequest request(MountOrder order) {
    VolumeUse usage = usage(order.volume(), order.workload());
    AccessMode mode = order.capability().accessMode();
    MountRequest.Builder request =
        MountRequest.builder(PLUGIN, usage, order.volume(), mode)
            .block(order.capability().isBlock())
            .readOnly(order.readonly())
            .volumeContext(order.context())
            .secrets(secrets(setting, order.volume().value()));
    order.capability().mountOptions().ifPresent(request::volumeOptions);
    return request.build();
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
    VolumeUse usage = usage(VolumeId.of(volume), workload);
    MountRequest.Builder request =
        MountRequest.inline(PLUGIN, usage, AccessMode.SINGLE_NODE_WRITER);
    return Optional.of(agent.manager().mount(request.volumeContext(attributes).build()).path());
  }

  @Override
  public void unmountInline(String volume, ScenarioWorkload workload) {
    unmount(VolumeId.of(volume), workload);
  }

  @Override
  public void restart() {
    agent.close();
    agent = open();
  }

  @Override
  public void close() {
    agent.close();
  }
}
