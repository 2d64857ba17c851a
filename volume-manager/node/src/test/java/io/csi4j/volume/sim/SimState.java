package io.csi4j.volume.sim;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.journal.Journal;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.state.HostIdentity;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import io.csi4j.volume.state.StateValue;
import java.util.Set;
import java.util.TreeSet;

/** What is remembered: in the journal on the host's disk, or in memory that outlives a crash. */
final class SimState {

  private final World world;
  private final MemoryMedium memory = MemoryMedium.create();

  /** The volumes that the owner remembers now. */
  private final Set<StateKey> volumes = new TreeSet<>();

  SimState(World world) {
    this.world = world;
  }

  /** The process has ended. */
  void endProcess() {
    memory.crash();
  }

  /** How many writes a power cut would take. */
  int deferred() {
    return memory.deferred();
  }

  /** The power is gone and back, and with it all writes that were deferred. */
  void cutPower() {
    memory.cutPower(0);
  }

  /** The records of volumes that are left. */
  Set<StateKey> volumes() {
    return volumes;
  }

  /** The medium in memory, for what happens to it. */
  MemoryMedium memory() {
    return memory;
  }

  /** Opens it for a process. */
  StateStore open(Life life, Disk disk, Place place) {
    StateStore store =
        world.setup().journal()
            ? Journal.open(disk, SimDisk.ROOT.resolve("state"), settings(place))
            : memory.open();
    volumes.clear();
    store.load().values().keySet().stream()
        .filter(key -> key.kind() == StateKey.Kind.VOLUME)
        .forEach(volumes::add);
    return new Seen(life, store);
  }

  private static JournalSettings settings(Place place) {
    return JournalSettings.builder()
        .host(
            new HostIdentity(
                new HostIdentity.HostId("host"),
                new HostIdentity.BootId(place.boot()),
                place.mountNamespace()))
        .segmentSize(JournalSettings.MIN_SEGMENT_SIZE)
        .ballastSize(1024)
        .build();
  }

  private final class Seen implements StateStore {

    private final Life life;
    private final StateStore store;

    Seen(Life life, StateStore store) {
      this.life = life;
      this.store = store;
    }

    @Override
    public LoadedState load() {
      life.check();
      return store.load();
    }

    @Override
    public Stored put(StateKey key, StateValue value, Durability durability) {
      before("PUT", key);
      world.watch().written("the record " + key, value.bytes());
      Stored stored = store.put(key, value, durability);
      if (key.kind() == StateKey.Kind.VOLUME) {
        volumes.add(key);
      }
      return stored;
    }

    @Override
    public Stored remove(StateKey key) {
      before("REMOVE", key);
      Stored stored = store.remove(key);
      volumes.remove(key);
      return stored;
    }

    @Override
    public Stored bury(StateKey volume, StateValue tombstone) {
      before("BURY", volume);
      world.watch().written("the tombstone " + volume, tombstone.bytes());
      Stored stored = store.bury(volume, tombstone);
      volumes.remove(volume);
      return stored;
    }

    @Override
    public Stored settle() {
      before("SETTLE", "");
      return store.settle();
    }

    private void before(String what, Object key) {
      life.check();
      world.findings().note(what, key);
    }

    @Override
    public StateStore.Capacity capacity() {
      life.check();
      return store.capacity();
    }

    @Override
    public StateStore.Owner owner() {
      life.check();
      return store.owner();
    }

    @Override
    public void close() {
      if (!life.isDead()) {
        store.close();
      }
    }
  }
}
