package io.csi4j.examples;

import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.conformance.model.OrchestratorSetting;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import io.csi4j.conformance.model.ScenarioWorkload;
import io.csi4j.volume.agent.NodeAgent;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.cluster.Cluster;
import io.csi4j.volume.controller.ControllerSettings;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.workload.VolumeRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A cluster of one node, for the suite for orchestrators: a control plane and an agent as they are.
 * Write yours like this one; what the suite needs are mount, unmount, restart and close.
 */
final class ManagedNode implements OrchestratorUnderTest {

  private final OrchestratorSetting setting;
  private final AgentAlone node;
  private volatile Life life;

  ManagedNode(OrchestratorSetting setting) {
    this.setting = setting;
    node = new AgentAlone(setting, this::next);
  }

  /** One process of the control plane: all that it knows beside this is on disk. */
  private record Life(RecordStore store, Cluster cluster) implements AutoCloseable {

    static Life of(OrchestratorSetting setting) {
      PluginBinding binding = PluginBinding.of(AgentAlone.PLUGIN, setting.controller());
      PluginRegistry plugins = InMemoryPluginRegistry.open();
      var unused = plugins.register(PluginRegistration.controller(binding));
      Duration call = setting.callDeadline();
      ControllerSettings.Builder calls =
          ControllerSettings.builder().policy(each -> each.attemptDeadline(call));
      RecordStore store = LocalStore.open(setting.directory().resolve("store"));
      Cluster.Builder cluster =
          Cluster.builder(plugins, store)
              .controller(
                  it ->
                      it.settings(calls.build())
                          .secrets(name -> AgentAlone.secrets(setting, name.value())));
      return new Life(store, cluster.open());
    }

    @Override
    public void close() {
      cluster.close();
      store.close();
    }
  }

  private NodeAgent.Builder next() {
    if (life != null) {
      life.close();
    }
    life = Life.of(setting);
    return NodeAgent.builder(AgentAlone.NODE, AgentAlone.volumes(setting), life.cluster);
  }

  /** Registers the volume, claims it and has it attached, or finds that this was done. */
  private VolumeUse claimed(MountOrder order) {
    VolumeUse usage = AgentAlone.usage(order.volume(), order.workload());
    VolumeSpec.Builder spec =
        VolumeSpec.builder(AgentAlone.PLUGIN)
            .use(order.capability())
            .secrets(SecretsReference.of(order.volume().value()));
    CatalogVolume volume =
        CatalogVolume.builder(usage.volume(), spec.build(), order.volume())
            .context(order.context())
            .build();
    life.cluster.volumes().register(volume);
    boolean isBlock = order.capability().isBlock();
    VolumeRequest request =
        VolumeRequest.builder("volume", VolumeRequest.Type.CSI, "volume")
            .accessMode(order.capability().accessMode())
            .attachment(isBlock ? AttachmentMode.BLOCK : AttachmentMode.FILESYSTEM)
            .mountOptions(order.capability().mountOptions().orElseGet(MountOptions::none))
            .readOnly(order.readonly())
            .build();
    return life.cluster.acquire(AgentAlone.NODE, usage, request).usage();
  }

  @Override
  public Path mount(MountOrder order) {
    return node.agent().mount(claimed(order)).path();
  }

  @Override
  public void refresh(MountOrder order) {
    var unused = node.agent().refresh(claimed(order));
  }

  @Override
  public void unmount(VolumeId volume, ScenarioWorkload workload) {
    VolumeUse usage = AgentAlone.usage(volume, workload);
    var unused = life.cluster.release(usage);
    node.agent().release(usage);
    ClaimProgress progress = life.cluster.release(usage).claim();
    if (!(progress instanceof ClaimProgress.Gone)) {
      throw new IllegalStateException("It is not detached yet: " + progress);
    }
  }

  @Override
  public Optional<Path> mountInline(
      String volume, ScenarioWorkload workload, VolumeContext attributes) {
    return node.mountInline(volume, workload, attributes);
  }

  @Override
  public void unmountInline(String volume, ScenarioWorkload workload) {
    node.unmountInline(volume, workload);
  }

  @Override
  public void restart() {
    node.restart();
  }

  @Override
  public void close() {
    node.close();
    life.close();
  }
}
