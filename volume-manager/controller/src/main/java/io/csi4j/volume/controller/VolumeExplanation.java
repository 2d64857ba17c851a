package io.csi4j.volume.controller;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.catalog.view.VolumesView;
import io.csi4j.volume.model.VolumeKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The pending operations on a volume, with their reasons and next steps: as a tree for programs,
 * and as {@link #lines} for people, which {@code csi4j volumes explain} prints.
 *
 * <pre>{@code
 * VolumeExplanation why = controller.explain(VolumeKey.of("db-1"));
 * why.pending().flatMap(ControlPlaneStatus.Pending::failure).ifPresent(alert);
 * why.lines().forEach(log);
 * }</pre>
 *
 * @param key the volume
 * @param volume its record, if there is one
 * @param changes the requested changes that are not done
 * @param pending the background work of the control plane on the volume; empty if there is none, or
 *     if the store was read without a control plane
 * @since 1.0
 */
public record VolumeExplanation(
    VolumeKey key,
    Optional<VolumesView.Volume> volume,
    List<VolumeChange> changes,
    Optional<ControlPlaneStatus.Pending> pending) {

  /** Copies the list. */
  public VolumeExplanation {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(volume, "volume");
    changes = List.copyOf(changes);
    Objects.requireNonNull(pending, "pending");
  }

  /** Returns the explanation of a volume that was read without a control plane. */
  public static VolumeExplanation of(VolumesView.Volume volume) {
    return new VolumeExplanation(
        volume.entry().key(), Optional.of(volume), volume.entry().changes(), Optional.empty());
  }

  /** Returns the explanation as lines for people. */
  public List<String> lines() {
    if (volume.isEmpty()) {
      return List.of("volume " + key + ": it is not recorded");
    }
    CatalogEntry entry = volume.get().entry();
    List<String> lines = new ArrayList<>();
    lines.add(
        "volume %s: %s, %s, version %s"
            .formatted(
                key,
                VolumeSummary.State.of(entry),
                entry.id().map(id -> "id '" + id + "'").orElse("unknown id"),
                volume.get().written().version()));
    if (entry.state() instanceof State.Creating) {
      lines.add("  it was or will be requested from the plugin; no answer is recorded");
      lines.add(
          "  a control plane repeats the request with the same name, which creates no second"
              + " volume");
    }
    changes.forEach(each -> describe(each, lines));
    entry.pendingSnapshots().forEach(each -> describe(each, lines));
    volume.get().work().forEach(each -> describe(each, lines));
    pending.ifPresent(it -> describe(it, lines));
    if (lines.size() == 1) {
      lines.add("  nothing is pending");
    }
    return List.copyOf(lines);
  }

  /** Returns all lines as one text. */
  @Override
  public String toString() {
    return lines().stream().collect(Collectors.joining("\n"));
  }

  private static void describe(VolumeChange change, List<String> lines) {
    lines.add("  " + change.request() + " " + change.progress());
    if (!change.seen().isEmpty()) {
      lines.add("    last result: " + change.seen());
    }
    lines.add("    " + change.next());
  }

  private static void describe(CatalogEntry.PendingSnapshot snapshot, List<String> lines) {
    lines.add(
        "  snapshot '"
            + snapshot.name()
            + (snapshot.answer().isPresent()
                ? "' exists, but the host has neither kept nor dropped it"
                : "' was requested, and may exist without an answer"));
  }

  private static void describe(VolumesView.Work work, List<String> lines) {
    lines.add(
        "  control plane '%s' works on it: %s, number %s"
            .formatted(work.controlPlane(), work.kind().toLowerCase(Locale.ROOT), work.epoch()));
    lines.add("    if that control plane has ended, another one takes the work over");
  }

  private static void describe(ControlPlaneStatus.Pending pending, List<String> lines) {
    if (pending.attempts() > 0) {
      lines.add("  background attempts of this control plane: " + pending.attempts());
    }
    pending.failure().ifPresent(why -> lines.add("    the last one failed: " + why.line()));
    if (pending.isHeld()) {
      lines.add("    it waits for a person");
    }
    pending.next().ifPresent(at -> lines.add("  next attempt: " + at));
  }
}
