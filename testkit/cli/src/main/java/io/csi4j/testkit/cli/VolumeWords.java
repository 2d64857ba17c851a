package io.csi4j.testkit.cli;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.catalog.view.VolumesView;
import io.csi4j.volume.controller.VolumeExplanation;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.VolumeSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Formats volumes in a catalog as text and as JSON. The output contains no values of parameters or
 * contexts, and no mount options.
 */
final class VolumeWords {

  private VolumeWords() {}

  /** Reads all volumes of a store. */
  static StoreOptions.Read<VolumesView> read(StoreOptions source) {
    return source.read(VolumesView::all, VolumesView::unreadable);
  }

  /** Returns the volume that the command line names. The name may omit the namespace. */
  static VolumesView.Volume named(StoreOptions.Read<VolumesView> read, String name) {
    List<VolumesView.Volume> found =
        read.records().volumes().stream()
            .filter(
                each ->
                    each.entry().key().toString().equals(name)
                        || each.entry().key().id().equals(name))
            .toList();
    if (found.size() == 1) {
      return found.get(0);
    }
    String quoted = OneLine.quoted(name);
    if (found.isEmpty() && !read.trouble().isEmpty()) {
      throw CommandFailure.noConnection(
          "The store has no readable record of volume %s, and some records cannot be read. %s"
              .formatted(quoted, String.join(" ", read.trouble())));
    }
    throw CommandFailure.usage(
        found.isEmpty()
            ? "No volume " + quoted + " is recorded there."
            : "Several volumes are named %s. Write one of %s."
                .formatted(
                    quoted,
                    OptionText.oneOf(
                        found.stream().map(each -> OneLine.of(each.entry().key() + "")))));
  }

  /** Returns the state of a volume, as one word. */
  static String state(CatalogEntry entry) {
    return VolumeSummary.State.of(entry).name();
  }

  /** Returns the size of a volume in bytes, if it is known. */
  static Optional<Long> bytes(CatalogEntry entry) {
    return volume(entry).stream()
        .flatMap(volume -> volume.capacityBytes().stream().boxed())
        .findFirst();
  }

  /**
   * Returns the time, in seconds precision, since when a volume has been unused, if it is known.
   */
  static Optional<String> unusedSince(VolumesView.Volume volume) {
    return volume.unusedSince().map(VolumeWords::seconds);
  }

  private static String seconds(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /**
   * Returns the volume of an entry. During a deletion, returns the volume as it was before the
   * deletion began.
   */
  private static Optional<CatalogVolume> volume(CatalogEntry entry) {
    return entry.state() instanceof State.Deleting going ? going.before() : entry.volume();
  }

  /** Returns a short list of the pending changes of a volume. */
  static String pending(VolumesView.Volume volume) {
    return Stream.concat(
            volume.entry().changes().stream().map(VolumeWords::phrase),
            volume.entry().pendingSnapshots().stream().map(each -> "snapshot " + each.name()))
        .collect(Collectors.joining(", "));
  }

  private static String phrase(VolumeChange change) {
    return change.request() + " " + change.progress();
  }

  /** Returns the complete record of a volume, as lines of text. */
  static List<String> lines(VolumesView.Volume volume) {
    CatalogEntry entry = volume.entry();
    VolumeSpec spec = entry.spec();
    List<String> lines = new ArrayList<>();
    lines.add(head(volume));
    lines.add("  plugin: " + plugin(entry));
    entry.name().ifPresent(name -> lines.add("  created as: " + name));
    lines.add(
        "  use: "
            + joined(
                spec.capabilitiesInFull().stream()
                    .map(each -> each.accessMode() + (each.isBlock() ? " block" : " filesystem"))
                    .toList()));
    bytes(entry).ifPresent(size -> lines.add("  size: " + size + " bytes"));
    volume.written().created().ifPresent(at -> lines.add("  recorded since: " + seconds(at)));
    volume.written().changed().ifPresent(at -> lines.add("  last changed: " + seconds(at)));
    unusedSince(volume).ifPresent(since -> lines.add("  unused since: " + since));
    volume(entry)
        .filter(each -> !each.topologies().isEmpty())
        .ifPresent(each -> lines.add("  reachable from: " + joined(each.topologies())));
    names(lines, "parameters", spec.parameters().keySet());
    names(lines, "mutable parameters", spec.mutableParameters().keySet());
    volume(entry).ifPresent(each -> names(lines, "context", each.context().keys()));
    spec.secrets().ifPresent(name -> lines.add("  secrets of the host: " + name));
    spec.source().ifPresent(from -> lines.add("  created from: " + from));
    if (spec.ephemeral()) {
      lines.add("  ephemeral: deleted after its last use");
    }
    lines.addAll(pendingLines(volume));
    return lines;
  }

  private static void names(List<String> lines, String what, Collection<String> names) {
    if (!names.isEmpty()) {
      lines.add("  " + what + ": " + joined(names));
    }
  }

  private static String joined(Collection<?> values) {
    return values.stream().map(Object::toString).sorted().collect(Collectors.joining(", "));
  }

  private static String head(VolumesView.Volume volume) {
    CatalogEntry entry = volume.entry();
    return "volume %s: %s, %s, version %s"
        .formatted(
            entry.key(),
            state(entry),
            entry.id().map(id -> "id '" + id + "'").orElse("unknown id"),
            volume.written().version());
  }

  private static String plugin(CatalogEntry entry) {
    return entry.spec().plugin()
        + volume(entry)
            .flatMap(CatalogVolume::providerVersion)
            .map(version -> ", version " + version + " when it was recorded")
            .orElse("");
  }

  private static List<String> pendingLines(VolumesView.Volume volume) {
    List<String> lines = new ArrayList<>();
    volume.entry().changes().forEach(each -> lines.add("  pending: " + phrase(each)));
    volume
        .entry()
        .pendingSnapshots()
        .forEach(
            each ->
                lines.add(
                    "  pending: snapshot '"
                        + each.name()
                        + (each.answer().isPresent() ? "', already taken" : "'")));
    volume
        .work()
        .forEach(
            each ->
                lines.add(
                    "  control plane '%s' works on it: %s, number %s"
                        .formatted(
                            each.controlPlane(),
                            each.kind().toLowerCase(Locale.ROOT),
                            each.epoch())));
    return lines;
  }

  /** Returns an explanation of the volume's pending changes, with the next step of the host. */
  static List<String> reasons(VolumesView.Volume volume) {
    return VolumeExplanation.of(volume).lines();
  }

  static Json json(VolumesView.Volume volume) {
    CatalogEntry entry = volume.entry();
    VolumeSpec spec = entry.spec();
    return new Json()
        .with("namespace", entry.key().namespace())
        .with("volume", entry.key().id())
        .with("version", volume.written().version())
        .with("created", volume.written().created())
        .with("changed", volume.written().changed())
        .with("state", state(entry))
        .with("id", entry.id())
        .with("plugin", spec.plugin())
        .with("provider_version", volume(entry).flatMap(CatalogVolume::providerVersion))
        .with("name", entry.name())
        .with("bytes", bytes(entry))
        .with("unused_since", unusedSince(volume))
        .list(
            "uses",
            spec.capabilitiesInFull(),
            each ->
                new Json()
                    .with("mode", each.accessMode())
                    .with("attachment", each.isBlock() ? "BLOCK" : "FILESYSTEM"))
        .with("parameters", spec.parameters().keySet())
        .with("ephemeral", spec.ephemeral())
        .list(
            "changes",
            entry.changes(),
            each ->
                new Json()
                    .with("request", each.request())
                    .with("progress", each.progress())
                    .with("seen", each.seen())
                    .with("at", each.at()))
        .list(
            "snapshots",
            entry.pendingSnapshots(),
            each -> new Json().with("name", each.name()).with("cut", each.answer().isPresent()))
        .list(
            "work",
            volume.work(),
            each ->
                new Json()
                    .with("kind", each.kind())
                    .with("control_plane", each.controlPlane())
                    .with("epoch", each.epoch()));
  }
}
