package io.csi4j.volume.internal.plugin;

import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.NodeId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.Change.Part;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.PluginHealth;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The differences between two fingerprints of a plugin. Ignores the time, the texts for people, and
 * a service that only one of the fingerprints contains.
 */
public final class FingerprintDiff {

  private FingerprintDiff() {}

  /** Returns all changes, in the order of the parts. */
  public static List<PluginFingerprint.Change> of(PluginFingerprint before, PluginFingerprint now) {
    List<PluginFingerprint.Change> changes = new ArrayList<>();
    value(changes, Part.VERSION, before.version(), now.version());
    capabilities(changes, before.plugin(), now.plugin());
    if (before.controller().isPresent() && now.controller().isPresent()) {
      capabilities(changes, before.controller().get(), now.controller().get());
    }
    if (before.node().isPresent() && now.node().isPresent()) {
      node(changes, before.node().get(), now.node().get());
    }
    return List.copyOf(changes);
  }

  private static void node(
      List<PluginFingerprint.Change> changes, NodeFacts before, NodeFacts now) {
    value(changes, Part.NODE_ID, id(before.nodeId()), id(now.nodeId()));
    value(changes, Part.MAX_VOLUMES, limit(before.maxVolumes()), limit(now.maxVolumes()));
    if (!before.topology().equals(now.topology())) {
      changes.add(
          changed(
              Part.TOPOLOGY,
              before.topology().map(Object::toString).orElse("none"),
              now.topology().map(Object::toString).orElse("none")));
    }
    capabilities(changes, before.capabilities(), now.capabilities());
  }

  private static String id(Optional<NodeId> node) {
    return node.map(NodeId::value).orElse("none");
  }

  private static String limit(OptionalLong volumes) {
    return volumes.isPresent() ? Long.toString(volumes.getAsLong()) : "no limit";
  }

  private static void value(
      List<PluginFingerprint.Change> changes, Part part, Object before, Object now) {
    if (!Objects.equals(before, now)) {
      changes.add(changed(part, before.toString(), now.toString()));
    }
  }

  private static PluginFingerprint.Change changed(Part part, String before, String now) {
    return new PluginFingerprint.Change.Value(
        part, new PluginHealth.Text("'" + before + "' -> '" + now + "'"));
  }

  private static <C extends Enum<C>> void capabilities(
      List<PluginFingerprint.Change> changes, CapabilitySet<C> before, CapabilitySet<C> now) {
    for (C capability : before.offered()) {
      if (!now.offers(capability)) {
        changes.add(new PluginFingerprint.Change.Lost(capability));
      }
    }
    for (C capability : now.offered()) {
      if (!before.offers(capability)) {
        changes.add(new PluginFingerprint.Change.Gained(capability));
      }
    }
  }
}
