package io.csi4j.conformance.internal.plugin;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.conformance.model.PluginUnderTest;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.internal.backend.MemoryStorage;
import io.csi4j.testkit.internal.backend.SpecBackend;
import io.csi4j.testkit.internal.server.PluginCore;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A plugin that differs in one way from one that obeys the spec in the plainest way. */
final class SpoiltPlugin implements AutoCloseable {

  private final PluginCore core;

  SpoiltPlugin(Spoiling how) {
    NodeEffects effects = NodeEffects.files();
    List<NodeId> nodes = List.of(NodeId.of("node-1"));
    core =
        new PluginCore(new PluginCore.Settings(how.shape(), nodes, null, null, effects.visible()));
    core.serve(
        how.spoil(
            new SpecBackend(
                core::shape, nodes, new MemoryStorage(effects), core.clock(), Duration.ZERO)));
  }

  PluginUnderTest described() {
    return PluginUnderTest.builder(core.endpoint())
        .capabilities(
            VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER),
            VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER))
        .mutableParameters(Map.of("iops", "100"))
        .deadline(Duration.ofSeconds(10))
        .build();
  }

  @Override
  public void close() {
    core.close();
  }
}
