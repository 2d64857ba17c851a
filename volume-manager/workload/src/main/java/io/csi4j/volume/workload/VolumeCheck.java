package io.csi4j.volume.workload;

import static io.csi4j.volume.workload.PreflightFindings.quoted;

import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether a node can have the volumes that a workload asks for.
 *
 * @param node what is known of it
 * @param found where findings go
 */
record VolumeCheck(NodeView node, PreflightFindings found) {

  void check(WorkloadVolumes wanted) {
    for (RequestedVolume volume : wanted.volumes()) {
      checkSource(volume, found);
      volume.csi().ifPresent(csi -> checkCsi(wanted, volume, csi));
    }
    checkLimits(wanted);
  }

  /** Without a node: whether the volumes are there, and may be used as they are asked for. */
  static void checkSources(WorkloadVolumes wanted, PreflightFindings found) {
    for (RequestedVolume volume : wanted.volumes()) {
      checkSource(volume, found);
      volume
          .csi()
          .ifPresent(
              csi -> {
                UseCheck.checkAllowed(volume, csi, found);
                UseCheck.checkOthers(wanted, volume, found);
              });
    }
  }

  private static void checkSource(RequestedVolume volume, PreflightFindings found) {
    if (volume.found().isEmpty()) {
      found.obstacle(
          OperatorCode.SOURCE_UNKNOWN,
          PreflightFindings.about(volume),
          "the host knows no "
              + volume.request().type().word()
              + " volume "
              + quoted(volume.source()));
    }
    volume
        .host()
        .filter(ResolvedVolume.Host::readOnly)
        .filter(host -> !volume.request().readOnly())
        .ifPresent(
            host ->
                found.obstacle(
                    OperatorCode.NOT_ALLOWED_HERE,
                    PreflightFindings.about(volume),
                    "the host offers this volume for reading only",
                    "Ask for it read-only, or for another one"));
  }

  private void checkCsi(WorkloadVolumes wanted, RequestedVolume volume, ResolvedVolume.Csi csi) {
    Optional<RegisteredPlugin> plugin = node.plugin(csi.plugin());
    if (plugin.isEmpty()) {
      found.obstacle(
          OperatorCode.PLUGIN_NOT_REGISTERED,
          PreflightFindings.about(volume),
          node.plugins().isEmpty()
              ? "no plugin is registered for volumes of this node"
              : "registered for volumes of this node are: "
                  + node.plugins().stream()
                      .map(PreflightFindings::quoted)
                      .collect(Collectors.joining(", ")));
    } else {
      HealthCheck.check(volume, plugin.get(), found);
      plugin
          .get()
          .fingerprint()
          .ifPresent(fingerprint -> UseCheck.checkOffered(volume, csi, fingerprint, found));
    }
    UseCheck.checkAllowed(volume, csi, found);
    UseCheck.checkOthers(wanted, volume, found);
    volume.mountRequest().flatMap(node::refusal).ifPresent(found::obstacle);
  }

  // ---- how many

  private void checkLimits(WorkloadVolumes wanted) {
    Map<PluginId, Set<VolumeId>> more = new LinkedHashMap<>();
    for (RequestedVolume volume : wanted.volumes()) {
      volume
          .csi()
          .ifPresent(
              csi ->
                  more.computeIfAbsent(csi.plugin(), id -> new LinkedHashSet<>())
                      .add(csi.handle()));
    }
    more.forEach((plugin, handles) -> checkLimit(wanted, plugin, handles));
  }

  private void checkLimit(WorkloadVolumes wanted, PluginId plugin, Set<VolumeId> asked) {
    OptionalLong limit = limit(plugin);
    if (limit.isEmpty()) {
      return;
    }
    Set<VolumeId> there =
        node.volumes().stream()
            .filter(status -> status.plugin().equals(plugin))
            .map(VolumeStatus::handle)
            .collect(Collectors.toSet());
    List<VolumeId> fresh = asked.stream().filter(handle -> !there.contains(handle)).toList();
    if (!fresh.isEmpty() && there.size() + fresh.size() > limit.getAsLong()) {
      found.obstacle(
          OperatorCode.NODE_VOLUME_LIMIT,
          Subject.of(
              "checking workload " + quoted(wanted.workload()) + " with plugin " + quoted(plugin)),
          "the plugin takes "
              + limit.getAsLong()
              + " on this node and has "
              + there.size()
              + ", those in doubt counted; "
              + fresh.size()
              + " more would be needed");
    }
  }

  private OptionalLong limit(PluginId plugin) {
    return node.plugin(plugin)
        .flatMap(RegisteredPlugin::fingerprint)
        .flatMap(PluginFingerprint::node)
        .map(PluginFingerprint.NodeFacts::maxVolumes)
        .filter(limit -> limit.orElse(0) > 0)
        .orElse(OptionalLong.empty());
  }
}
