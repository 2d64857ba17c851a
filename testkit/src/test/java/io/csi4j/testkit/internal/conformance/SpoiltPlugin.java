package io.csi4j.testkit.internal.conformance;

import io.csi4j.client.AccessMode;
import io.csi4j.client.NodeId;
import io.csi4j.client.VolumeCapability;
import io.csi4j.testkit.NodeEffects;
import io.csi4j.testkit.PluginShape;
import io.csi4j.testkit.conformance.PluginUnderTest;
import io.csi4j.testkit.internal.backend.MemoryStorage;
import io.csi4j.testkit.internal.backend.SpecBackend;
import io.csi4j.testkit.internal.server.CoreSettings;
import io.csi4j.testkit.internal.server.PluginCore;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A plugin that offers everything and has one defect. */
final class SpoiltPlugin implements AutoCloseable {

  private final PluginCore core;

  SpoiltPlugin(Defect defect) {
    NodeEffects effects = NodeEffects.files();
    List<NodeId> nodes = List.of(NodeId.of("node-1"));
    core =
        new PluginCore(new CoreSettings(PluginShape.full(), nodes, null, null, effects.visible()));
    core.serve(
        defect.spoil(
            new SpecBackend(
                core::shape, nodes, new MemoryStorage(effects), core.clock(), Duration.ZERO)));
  }

  PluginUnderTest described() {
    return PluginUnderTest.builder(core.endpoint())
        .capabilities(
            VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER),
            VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER))
        .mutableParameters(Map.of("iops", "100"))
        .build();
  }

  @Override
  public void close() {
    core.close();
  }
}
