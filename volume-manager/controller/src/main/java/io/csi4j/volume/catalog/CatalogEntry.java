package io.csi4j.volume.catalog;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.names.Names;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The record of a volume and its state. Each state is written before the call to the plugin that it
 * announces.
 *
 * @param key the host's key of the volume
 * @param spec the requested volume
 * @param name the name under which the volume was requested: a repeated request with this name
 *     finds the same volume. Not the id of the volume; empty if the volume existed before
 * @param state the state of the volume
 * @param pendingSnapshots the requested snapshots of the volume, which may exist although no caller
 *     knows them
 * @param olderModes whether SINGLE_NODE_WRITER is sent to the plugin in place of the two newer
 *     single-node modes, because the plugin did not support them when the record was created
 * @param sourcePlaces the topologies from which the source snapshot can be used, as the plugin
 *     reported them when the record was created; empty for everywhere, or if they are not known
 * @param modifying the parameters that are being changed, or about to be; empty if there are none
 * @param refused the changes that were refused last, at most one of each kind
 * @since 1.0
 */
public record CatalogEntry(
    VolumeKey key,
    VolumeSpec spec,
    Optional<String> name,
    State state,
    List<PendingSnapshot> pendingSnapshots,
    boolean olderModes,
    List<Topology> sourcePlaces,
    SortedMap<String, String> modifying,
    List<VolumeChange> refused) {

  /**
   * A requested snapshot whose result was not yet reported to the host.
   *
   * @param name the name chosen by the host
   * @param sentAs the name sent to the plugin, which includes the identity of the cluster; empty if
   *     the plugin is sent the host's name
   * @param parameters the parameters sent to the plugin
   * @param group the volumes of the group snapshot; empty for a snapshot of this volume alone
   * @param places the topologies from which the snapshot must be usable, if requested
   * @param answer the plugin's answer, once received: the snapshot exists then
   */
  public record PendingSnapshot(
      String name,
      Optional<String> sentAs,
      SortedMap<String, String> parameters,
      SortedSet<VolumeKey> group,
      Optional<TopologyRequirement> places,
      Optional<Answer> answer) {

    /**
     * The plugin's answer that a snapshot or a group of snapshots was created.
     *
     * @param group the id of the group; empty for a single snapshot
     * @param snapshots the snapshot of each volume
     */
    public record Answer(Optional<GroupSnapshotId> group, Map<VolumeId, SnapshotId> snapshots) {

      /** Copies mutable arguments. */
      public Answer {
        Objects.requireNonNull(group, "group");
        snapshots = Collections.unmodifiableMap(new LinkedHashMap<>(snapshots));
      }
    }

    /** Copies mutable arguments. */
    public PendingSnapshot {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(sentAs, "sentAs");
      parameters = Collections.unmodifiableSortedMap(new TreeMap<>(parameters));
      group = Collections.unmodifiableSortedSet(new TreeSet<>(group));
      Objects.requireNonNull(places, "places");
      Objects.requireNonNull(answer, "answer");
    }

    /** Creates a request by the host's name, without an answer. */
    public PendingSnapshot(
        String name,
        SortedMap<String, String> parameters,
        SortedSet<VolumeKey> group,
        Optional<TopologyRequirement> places) {
      this(name, Optional.empty(), parameters, group, places, Optional.empty());
    }

    /** Creates a request for a snapshot usable from anywhere, without an answer. */
    public PendingSnapshot(
        String name, SortedMap<String, String> parameters, SortedSet<VolumeKey> group) {
      this(name, parameters, group, Optional.empty());
    }

    /** Returns this request with the given answer. */
    public PendingSnapshot answered(Answer now) {
      return new PendingSnapshot(name, sentAs, parameters, group, places, Optional.of(now));
    }

    /** Returns this request without an answer. */
    public PendingSnapshot asked() {
      return new PendingSnapshot(name, sentAs, parameters, group, places, Optional.empty());
    }

    /** Returns this request with the given name for the plugin. */
    public PendingSnapshot sentAs(Optional<String> sent) {
      return new PendingSnapshot(name, sent, parameters, group, places, answer);
    }

    /** Returns the name that is sent to the plugin. */
    public String sentName() {
      return sentAs.orElse(name);
    }

    /** Whether both requests use the same name; groups and single snapshots have separate names. */
    public boolean isNamedAs(PendingSnapshot other) {
      return name.equals(other.name) && group.isEmpty() == other.group.isEmpty();
    }

    /** Omits the values of parameters, which belong to the plugin. */
    @Override
    public String toString() {
      return "PendingSnapshot[name="
          + name
          + sentAs.map(each -> ", sentAs=" + each).orElse("")
          + ", parameters="
          + parameters.keySet()
          + (group.isEmpty() ? "" : ", group=" + group)
          + places.map(each -> ", places=" + each).orElse("")
          + answer.map(each -> ", answer=" + each).orElse("")
          + "]";
    }
  }

  /** The states of a volume. */
  public sealed interface State {

    /** The volume is requested or about to be; its id is not known. */
    record Creating() implements State {}

    /**
     * The volume exists.
     *
     * @param volume the volume
     */
    record Present(CatalogVolume volume) implements State {}

    /**
     * The volume is being expanded, or is about to be.
     *
     * @param volume the volume before the expansion
     * @param to the requested size
     */
    record Growing(CatalogVolume volume, CapacityRange to) implements State {}

    /**
     * The volume is being deleted, or is about to be.
     *
     * @param id the id of the volume; empty if it is not known whether the volume was created
     * @param before the volume, if it may be kept when the storage system refuses the deletion;
     *     empty if it must be deleted in any case
     */
    record Deleting(Optional<VolumeId> id, Optional<CatalogVolume> before) implements State {

      /** Checks that both parts are set. */
      public Deleting {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(before, "before");
      }
    }
  }

  /** Checks that the parts are consistent. */
  public CatalogEntry {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(spec, "spec");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(state, "state");
    name.ifPresent(it -> Names.check("name of a volume", it));
    pendingSnapshots = List.copyOf(pendingSnapshots);
    sourcePlaces = List.copyOf(sourcePlaces);
    modifying = Collections.unmodifiableSortedMap(new TreeMap<>(modifying));
    refused = List.copyOf(refused);
    if (state instanceof State.Creating && name.isEmpty()) {
      throw new IllegalArgumentException("A requested volume needs a name.");
    }
  }

  /** Creates the entry of a volume without pending snapshots. */
  public CatalogEntry(VolumeKey key, VolumeSpec spec, Optional<String> name, State state) {
    this(
        key,
        spec,
        name,
        state,
        List.of(),
        false,
        List.of(),
        Collections.emptySortedMap(),
        List.of());
  }

  /** Returns the entry of an existing volume. */
  public static CatalogEntry of(CatalogVolume volume, Optional<String> name) {
    return new CatalogEntry(volume.key(), volume.spec(), name, new State.Present(volume));
  }

  /** Returns this entry in another state. */
  public CatalogEntry in(State next) {
    return new CatalogEntry(
        key, spec, name, next, pendingSnapshots, olderModes, sourcePlaces, modifying, refused);
  }

  /** Returns this entry with another spec. */
  public CatalogEntry as(VolumeSpec wanted) {
    return new CatalogEntry(
        key, wanted, name, state, pendingSnapshots, olderModes, sourcePlaces, modifying, refused);
  }

  /** Returns this entry with older modes in place of those that its plugin does not support. */
  public CatalogEntry underOlderModes() {
    return new CatalogEntry(
        key, spec, name, state, pendingSnapshots, true, sourcePlaces, modifying, refused);
  }

  /** Returns this entry with the topologies from which its source snapshot can be used. */
  public CatalogEntry fromSnapshotIn(List<Topology> places) {
    return new CatalogEntry(
        key, spec, name, state, pendingSnapshots, olderModes, places, modifying, refused);
  }

  /** Returns this entry with the given pending snapshots. */
  public CatalogEntry cutting(List<PendingSnapshot> now) {
    return new CatalogEntry(
        key, spec, name, state, now, olderModes, sourcePlaces, modifying, refused);
  }

  /** Returns the recorded snapshot or group with the same name. */
  public Optional<PendingSnapshot> cut(PendingSnapshot named) {
    return pendingSnapshots.stream().filter(each -> each.isNamedAs(named)).findFirst();
  }

  /** Returns this entry with one more pending snapshot. */
  public CatalogEntry with(PendingSnapshot pending) {
    List<PendingSnapshot> all = new ArrayList<>(without(pending).pendingSnapshots);
    all.add(pending);
    return cutting(all);
  }

  /** Returns this entry without the snapshot of that name. */
  public CatalogEntry without(PendingSnapshot pending) {
    return cutting(pendingSnapshots.stream().filter(each -> !each.isNamedAs(pending)).toList());
  }

  /** Whether parameters of an existing volume are being changed. */
  public boolean isBeingModified() {
    return !modifying.isEmpty() && volume().isPresent();
  }

  /** Returns this entry with the given parameters as being changed. */
  public CatalogEntry modifying(SortedMap<String, String> values) {
    return new CatalogEntry(
        key, spec, name, state, pendingSnapshots, olderModes, sourcePlaces, values, refused);
  }

  /** Returns this entry with a refused change. */
  public CatalogEntry refusing(VolumeChange change) {
    List<VolumeChange> all = new ArrayList<>(refused);
    all.removeIf(each -> isOfOneKind(each, change));
    all.add(change);
    return refusing(all);
  }

  /** Returns this entry without refused changes of the given kind. */
  public CatalogEntry refusingNo(Class<? extends VolumeChange.Request> kind) {
    return refusing(refused.stream().filter(each -> !kind.isInstance(each.request())).toList());
  }

  private CatalogEntry refusing(List<VolumeChange> now) {
    return new CatalogEntry(
        key, spec, name, state, pendingSnapshots, olderModes, sourcePlaces, modifying, now);
  }

  private static boolean isOfOneKind(VolumeChange one, VolumeChange other) {
    return one.progress() == other.progress()
        && one.request().getClass().equals(other.request().getClass());
  }

  /**
   * Returns the recorded changes that were requested and are not done; for a volume that is being
   * deleted, only the deletion.
   */
  public List<VolumeChange> changes() {
    if (state instanceof State.Deleting) {
      return List.of(inProgress(new VolumeChange.Request.Deletion()));
    }
    if (volume().isEmpty()) {
      return List.of();
    }
    List<VolumeChange> all = new ArrayList<>();
    if (state instanceof State.Growing growing) {
      all.add(inProgress(new VolumeChange.Request.Size(growing.to())));
    }
    if (!modifying.isEmpty()) {
      all.add(inProgress(new VolumeChange.Request.Parameters(modifying)));
    }
    all.addAll(refused);
    boolean isNodeStuck =
        refused.stream()
            .anyMatch(each -> each.progress() == VolumeChange.Progress.INFEASIBLE_ON_NODE);
    volume()
        .flatMap(CatalogVolume::pendingOnNode)
        .filter(owed -> !isNodeStuck)
        .ifPresent(
            owed ->
                all.add(
                    new VolumeChange(
                        new VolumeChange.Request.Size(owed),
                        VolumeChange.Progress.PENDING_ON_NODE,
                        "",
                        Optional.empty())));
    return List.copyOf(all);
  }

  private static VolumeChange inProgress(VolumeChange.Request wish) {
    return new VolumeChange(wish, VolumeChange.Progress.IN_PROGRESS, "", Optional.empty());
  }

  /**
   * The topologies from which the volume must be reachable and in which its source snapshot can be
   * used. If these exclude each other, the requested topologies: the plugin then refuses the
   * request.
   */
  public Optional<TopologyRequirement> topologies() {
    return spec.topologies().map(asked -> asked.within(sourcePlaces).orElse(asked));
  }

  /** The volume, if it exists and may be used. */
  public Optional<CatalogVolume> volume() {
    if (state instanceof State.Present there) {
      return Optional.of(there.volume());
    }
    return state instanceof State.Growing growing
        ? Optional.of(growing.volume())
        : Optional.empty();
  }

  /** The id of the volume, if known. */
  public Optional<VolumeId> id() {
    return state instanceof State.Deleting going ? going.id() : volume().map(CatalogVolume::id);
  }
}
