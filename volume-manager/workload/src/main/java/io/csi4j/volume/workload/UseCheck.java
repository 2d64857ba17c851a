package io.csi4j.volume.workload;

import static io.csi4j.volume.workload.PreflightFindings.quoted;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Whether a volume of a plugin can be used in the way in which it is asked for. */
final class UseCheck {

  private UseCheck() {}

  // ---- by what the plugin offers

  static void checkOffered(
      RequestedVolume volume,
      ResolvedVolume.Csi csi,
      PluginFingerprint fingerprint,
      PreflightFindings found) {
    if (fingerprint.node().isEmpty()) {
      found.obstacle(
          OperatorCode.NOT_OFFERED,
          PreflightFindings.about(volume),
          "the plugin has no node service there",
          "Register the instance that serves this node");
      return;
    }
    NodeFacts facts = fingerprint.node().get();
    checkCapabilities(volume, facts, found);
    if (fingerprint.constrainsTopology()) {
      checkPlace(volume, csi, facts.topology(), found);
    }
  }

  private static void checkCapabilities(
      RequestedVolume volume, NodeFacts facts, PreflightFindings found) {
    Optional<VolumeCapability> use = volume.mountRequest().map(MountRequest::capability);
    use.flatMap(VolumeCapability::mountOptions)
        .flatMap(MountOptions::volumeMountGroup)
        .filter(group -> !facts.capabilities().offers(NodeCapability.VOLUME_MOUNT_GROUP))
        .ifPresent(
            group ->
                found.obstacle(
                    OperatorCode.NOT_OFFERED,
                    PreflightFindings.about(volume),
                    "the group "
                        + quoted(group)
                        + " for its files needs VOLUME_MOUNT_GROUP, which the plugin does not"
                        + " offer",
                    "Leave the group out, or use a plugin that has it"));
  }

  private static void checkPlace(
      RequestedVolume volume,
      ResolvedVolume.Csi csi,
      Optional<Topology> here,
      PreflightFindings found) {
    boolean isReachable =
        csi.reachableFrom().isEmpty()
            || here.filter(place -> csi.reachableFrom().stream().anyMatch(place::includes))
                .isPresent();
    if (!isReachable) {
      found.obstacle(
          OperatorCode.TOPOLOGY_MISMATCH,
          PreflightFindings.about(volume),
          "it can be reached from "
              + csi.reachableFrom().stream()
                  .map(Topology::toString)
                  .collect(Collectors.joining(" or "))
              + ", and "
              + here.map(place -> "this node is in " + place)
                  .orElse("the plugin does not say where this node is"));
    }
  }

  // ---- by what the volume allows

  static void checkAllowed(
      RequestedVolume volume, ResolvedVolume.Csi csi, PreflightFindings found) {
    Optional<VolumeCapability> use = volume.mountRequest().map(MountRequest::capability);
    if (use.isEmpty() || csi.allowed().isEmpty()) {
      return;
    }
    boolean isAllowed =
        csi.allowed().stream()
            .anyMatch(
                way ->
                    way.accessMode() == use.get().accessMode()
                        && way.isBlock() == use.get().isBlock());
    if (!isAllowed) {
      found.obstacle(
          OperatorCode.NOT_ALLOWED_HERE,
          PreflightFindings.about(volume),
          "it is wanted as "
              + phrase(use.get())
              + ", and may be used as "
              + csi.allowed().stream()
                  .map(UseCheck::phrase)
                  .distinct()
                  .collect(Collectors.joining(" or ")),
          "Ask for it in one of the ways that are named");
    }
  }

  private static String phrase(VolumeCapability way) {
    return (way.isBlock() ? "block with " : "filesystem with ") + way.accessMode();
  }

  // ---- by what else the workload asks for

  /** Compares it with each volume that the workload asks for before this one. */
  static void checkOthers(WorkloadVolumes wanted, RequestedVolume volume, PreflightFindings found) {
    for (RequestedVolume other : wanted.volumes()) {
      if (other.equals(volume)) {
        return;
      }
      if (other.mountRequest().isPresent() && volume.mountRequest().isPresent()) {
        check(other, volume, found);
      }
    }
  }

  private static void check(
      RequestedVolume other, RequestedVolume volume, PreflightFindings found) {
    MountRequest first = other.mountRequest().orElseThrow();
    MountRequest second = volume.mountRequest().orElseThrow();
    VolumeIdentity identity = new VolumeIdentity(second.plugin(), second.handle());
    boolean isSameVolume = identity.equals(new VolumeIdentity(first.plugin(), first.handle()));
    boolean isSameUse = first.usage().equals(second.usage());
    if (!isSameVolume && !isSameUse) {
      return;
    }
    List<String> differences = new ArrayList<>();
    if (!isSameVolume) {
      differences.add("plugin or volume handle");
    }
    differences.addAll(
        Plan.of(identity, true, first.capability())
            .differences(Plan.of(identity, true, second.capability())));
    if (isSameUse && first.readOnly() != second.readOnly()) {
      differences.add("read-only");
    }
    String request = "request " + quoted(other.alias()) + " is for the same volume";
    if (!differences.isEmpty()) {
      found.obstacle(
          OperatorCode.OPTIONS_DIFFER,
          PreflightFindings.about(volume),
          ForeignText.of(request + "; these differ: " + String.join(", ", differences)),
          "Ask for it once, and let each task's mount say whether it only reads");
    } else if (!isSameUse && !isShared(second.capability().accessMode())) {
      found.obstacle(
          OperatorCode.VOLUME_IN_USE,
          PreflightFindings.about(volume),
          request
              + " under the name "
              + first.usage().volume()
              + ", and its access mode "
              + second.capability().accessMode()
              + " has room for one",
          "Ask for it once");
    }
  }

  private static boolean isShared(AccessMode mode) {
    return mode == AccessMode.SINGLE_NODE_MULTI_WRITER || mode.isMultiNode();
  }
}
