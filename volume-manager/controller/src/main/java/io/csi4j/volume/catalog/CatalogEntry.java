package io.csi4j.volume.catalog;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.RequestedTopologies;
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
 * The record of a volume: how far it is. Each state is written before the call that it announces is
 * made.
 *
 * @param key how the host names it
 * @param spec what was asked for
 * @param name under which name it was asked for; nothing if it was there before
 * @param state how far it is
 * @param pendingSnapshots the snapshots of it that were asked for, and may be there unknown
 * @param olderModes whether the plugin is asked for SINGLE_NODE_WRITER wherever one of the two
 *     newer modes of a single node is wanted, as it did not know them when the volume came on
 *     record
 * @param sourcePlaces from where the snapshot can be used that the volume is made from, as its
 *     plugin said when the volume came on record; empty for everywhere, or if it is not known
 * @param modifying the parameters that are being changed, or about to be; empty if none are
 * @param refused the changes that were refused last, at most one of a kind
 * @since 1.0
 */
public record CatalogEntry(
    VolumeKey key,
    VolumeSpec spec,
    Optional<CreationName> name,
    State state,
    List<PendingSnapshot> pendingSnapshots,
    boolean olderModes,
    List<Topology> sourcePlaces,
    SortedMap<String, String> modifying,
    List<VolumeChange> refused) {

  /**
   * A snapshot that was asked for, and of which its host was not told yet what came of it.
   *
   * @param name the name that its host has chosen
   * @param sentAs the name that the plugin is sent, with the identity of the cluster; nothing if it
   *     is sent the name of the host
   * @param parameters what the plugin was told about it
   * @param group the volumes of which one was cut at the same moment; empty for a snapshot of this
   *     volume alone
   * @param places from where it has to be usable, if that was asked for
   * @param answer what the plugin answered, once it has: the snapshot is cut then
   */
  public record PendingSnapshot(
      String name,
      Optional<String> sentAs,
      SortedMap<String, String> parameters,
      SortedSet<VolumeKey> group,
      Optional<RequestedTopologies> places,
      Optional<Answer> answer) {

    /**
     * A plugin's answer that a snapshot, or a group of them, is cut.
     *
     * @param group the id of the group; nothing for a snapshot alone
     * @param snapshots the snapshot of each volume
     */
    public record Answer(Optional<GroupSnapshotId> group, Map<VolumeId, SnapshotId> snapshots) {

      /** Copies what can change. */
      public Answer {
        Objects.requireNonNull(group, "group");
        snapshots = Collections.unmodifiableMap(new LinkedHashMap<>(snapshots));
      }
    }

    /** Copies what can change. */
    public PendingSnapshot {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(sentAs, "sentAs");
      parameters = Collections.unmodifiableSortedMap(new TreeMap<>(parameters));
      group = Collections.unmodifiableSortedSet(new TreeSet<>(group));
      Objects.requireNonNull(places, "places");
      Objects.requireNonNull(answer, "answer");
    }

    /** A snapshot that is asked for by the name of its host, and was not answered yet. */
    public PendingSnapshot(
        String name,
        SortedMap<String, String> parameters,
        SortedSet<VolumeKey> group,
        Optional<RequestedTopologies> places) {
      this(name, Optional.empty(), parameters, group, places, Optional.empty());
    }

    /** A snapshot that may be anywhere, and of which nothing was answered yet. */
    public PendingSnapshot(
        String name, SortedMap<String, String> parameters, SortedSet<VolumeKey> group) {
      this(name, parameters, group, Optional.empty());
    }

    /** Returns the same request, answered with this. */
    public PendingSnapshot answered(Answer now) {
      return new PendingSnapshot(name, sentAs, parameters, group, places, Optional.of(now));
    }

    /** Returns the same request without an answer. */
    public PendingSnapshot asked() {
      return new PendingSnapshot(name, sentAs, parameters, group, places, Optional.empty());
    }

    /** Returns the same request, which is sent under this name. */
    public PendingSnapshot sentAs(Optional<String> sent) {
      return new PendingSnapshot(name, sent, parameters, group, places, answer);
    }

    /** Returns the name that the plugin is sent. */
    public String sentName() {
      return sentAs.orElse(name);
    }

    /** Whether both are asked for under one name: a group has names of its own. */
    public boolean isNamedAs(PendingSnapshot other) {
      return name.equals(other.name) && group.isEmpty() == other.group.isEmpty();
    }

    /** Shows no values of parameters, which belong to the plugin. */
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

  /** How far a volume is. */
  public sealed interface State {

    /** The volume is asked for, or about to be; its id is not known. */
    record Creating() implements State {}

    /**
     * The volume is there.
     *
     * @param volume the volume
     */
    record Present(CatalogVolume volume) implements State {}

    /**
     * The volume is being grown, or about to be.
     *
     * @param volume the volume as it was
     * @param to how large it is to be
     */
    record Growing(CatalogVolume volume, CapacityRange to) implements State {}

    /**
     * The volume is being deleted, or about to be.
     *
     * @param id its id; nothing if it is not known whether it was made
     * @param before the volume, if it may be kept where the storage system refuses; nothing if it
     *     is to be deleted in any case
     */
    record Deleting(Optional<VolumeId> id, Optional<CatalogVolume> before) implements State {

      /** Checks that both are there. */
      public Deleting {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(before, "before");
      }
    }
  }

  /** Checks that the parts fit. */
  public CatalogEntry {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(spec, "spec");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(state, "state");
    pendingSnapshots = List.copyOf(pendingSnapshots);
    sourcePlaces = List.copyOf(sourcePlaces);
    modifying = Collections.unmodifiableSortedMap(new TreeMap<>(modifying));
    refused = List.copyOf(refused);
    if (state instanceof State.Creating && name.isEmpty()) {
      throw new IllegalArgumentException("A volume that is asked for has a name.");
    }
  }

  /** A volume of which no snapshot is owed. */
  public CatalogEntry(VolumeKey key, VolumeSpec spec, Optional<CreationName> name, State state) {
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

  /** A volume that is there. */
  public static CatalogEntry of(CatalogVolume volume, Optional<CreationName> name) {
    return new CatalogEntry(volume.key(), volume.spec(), name, new State.Present(volume));
  }

  /** Returns the entry in another state. */
  public CatalogEntry in(State next) {
    return new CatalogEntry(
        key, spec, name, next, pendingSnapshots, olderModes, sourcePlaces, modifying, refused);
  }

  /** Returns the entry, of which this is wanted. */
  public CatalogEntry as(VolumeSpec wanted) {
    return new CatalogEntry(
        key, wanted, name, state, pendingSnapshots, olderModes, sourcePlaces, modifying, refused);
  }

  /** Returns the entry with older modes in the place of those that its plugin does not know. */
  public CatalogEntry underOlderModes() {
    return new CatalogEntry(
        key, spec, name, state, pendingSnapshots, true, sourcePlaces, modifying, refused);
  }

  /** Returns the entry, whose snapshot can be used from one of these places only. */
  public CatalogEntry fromSnapshotIn(List<Topology> places) {
    return new CatalogEntry(
        key, spec, name, state, pendingSnapshots, olderModes, places, modifying, refused);
  }

  /** Returns the entry with these snapshots asked for. */
  public CatalogEntry cutting(List<PendingSnapshot> now) {
    return new CatalogEntry(
        key, spec, name, state, now, olderModes, sourcePlaces, modifying, refused);
  }

  /** Returns what is on record of the snapshot, or group, of the same name. */
  public Optional<PendingSnapshot> cut(PendingSnapshot named) {
    return pendingSnapshots.stream().filter(each -> each.isNamedAs(named)).findFirst();
  }

  /** Returns the entry with this snapshot asked for too. */
  public CatalogEntry with(PendingSnapshot pending) {
    List<PendingSnapshot> all = new ArrayList<>(without(pending).pendingSnapshots);
    all.add(pending);
    return cutting(all);
  }

  /** Returns the entry without the snapshot of that name. */
  public CatalogEntry without(PendingSnapshot pending) {
    return cutting(pendingSnapshots.stream().filter(each -> !each.isNamedAs(pending)).toList());
  }

  /** Whether parameters of a volume that is there are being changed. */
  public boolean isBeingModified() {
    return !modifying.isEmpty() && volume().isPresent();
  }

  /** Returns the entry, of which these parameters are being changed. */
  public CatalogEntry modifying(SortedMap<String, String> values) {
    return new CatalogEntry(
        key, spec, name, state, pendingSnapshots, olderModes, sourcePlaces, values, refused);
  }

  /** Returns the entry, of which this change was refused. */
  public CatalogEntry refusing(VolumeChange change) {
    List<VolumeChange> all = new ArrayList<>(refused);
    all.removeIf(each -> isOfOneKind(each, change));
    all.add(change);
    return refusing(all);
  }

  /** Returns the entry, of which no change of this kind was refused. */
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
   * Returns the changes that were asked for and are not done, as far as they are on record; the
   * deletion alone of a volume that is being deleted.
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
   * From where the volume has to be reachable, and can be made from its snapshot; what was asked
   * for, where that leaves nothing: the plugin refuses it then.
   */
  public Optional<RequestedTopologies> topologies() {
    return spec.topologies().map(asked -> asked.within(sourcePlaces).orElse(asked));
  }

  /** The volume, if there is one that may be used. */
  public Optional<CatalogVolume> volume() {
    if (state instanceof State.Present there) {
      return Optional.of(there.volume());
    }
    return state instanceof State.Growing growing
        ? Optional.of(growing.volume())
        : Optional.empty();
  }

  /** The id of the volume, if it is known. */
  public Optional<VolumeId> id() {
    return state instanceof State.Deleting going ? going.id() : volume().map(CatalogVolume::id);
  }
}
