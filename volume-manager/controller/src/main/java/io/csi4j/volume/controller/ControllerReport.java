package io.csi4j.volume.controller;

import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.controller.ControlPlaneStatus.Pending;
import io.csi4j.volume.internal.text.ReportArchive;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The state of a control plane at one moment, as the entries of an archive. Contains no secret,
 * context, mount flag, or value of a parameter.
 *
 * @param status the status of the control plane
 * @param plugins the instances of plugins
 * @param nodes the nodes of the cluster
 * @param summaries the volumes
 * @param explanations the explanations of the volumes with pending operations
 */
record ControllerReport(
    ControlPlaneStatus status,
    List<RegisteredPlugin> plugins,
    NodeBook.Nodes nodes,
    List<Catalog.Listed> summaries,
    List<VolumeExplanation> explanations) {

  /** Writes the report to a new file; a failed write leaves no file. */
  void writeTo(Path archive) {
    try {
      ReportArchive.write(archive, entries(), ReportArchive::create);
    } catch (IOException e) {
      throw new ControllerException(ChangeOutcome.REFUSED, ReportArchive.failure(archive, e), e);
    }
  }

  private Map<String, List<String>> entries() {
    Map<String, List<String>> entries = new LinkedHashMap<>();
    entries.put(
        "versions.txt",
        ReportArchive.versions(
            VolumeController.class, "control plane '" + status.controlPlane() + "'"));
    entries.put("status.txt", statusLines());
    entries.put(
        "plugins.txt",
        ReportArchive.orElse(
            "no plugin is known", plugins.stream().flatMap(each -> each.linesInFull().stream())));
    entries.put(
        "nodes.txt",
        ReportArchive.orElse(
            "no node is known",
            Stream.concat(
                nodes.nodes().stream().flatMap(each -> each.lines().stream()),
                nodes.unreadable().stream().map(OperatorMessage::line))));
    entries.put(
        "volumes.txt",
        ReportArchive.orElse(
            "no volume is known", summaries.stream().map(ControllerReport::summary)));
    entries.put(
        "explain.txt",
        ReportArchive.orElse(
            "nothing is pending", explanations.stream().flatMap(each -> each.lines().stream())));
    return entries;
  }

  private List<String> statusLines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "volumes: "
            + Stream.of(VolumeSummary.State.values())
                .map(state -> state + " " + status.volumes().getOrDefault(state, 0))
                .collect(Collectors.joining(", "))
            + ", unreadable records: "
            + status.unreadable());
    lines.add("the view of the volumes may be outdated by " + status.viewAge().toSeconds() + " s");
    lines.add(
        "volumes in progress: %s here, %s elsewhere".formatted(status.here(), status.elsewhere()));
    lines.add(
        "pending: %s, of which %s wait for a person"
            .formatted(
                status.pending().size(),
                status.pending().stream().filter(Pending::isHeld).count()));
    lines.add("session: " + status.session());
    lines.add(
        "upkeep: " + (status.upkeep().isEmpty() ? "unknown" : new TreeMap<>(status.upkeep())));
    lines.add(
        "store: "
            + status.readOnly().map(why -> "accepts no writes: " + why).orElse("accepts writes"));
    return lines;
  }

  private static String summary(Catalog.Listed listed) {
    return "%s: %s, plugin '%s', %s, version %s, created %s, changed %s"
        .formatted(
            listed.entry().key(),
            VolumeSummary.State.of(listed.entry()),
            listed.entry().spec().plugin(),
            listed.entry().id().map(id -> "id '" + id + "'").orElse("unknown id"),
            listed.written().version(),
            listed.written().created().map(Object::toString).orElse("at an unknown time"),
            listed.written().changed().map(Object::toString).orElse("at an unknown time"));
  }
}
