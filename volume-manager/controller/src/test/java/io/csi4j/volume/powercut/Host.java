package io.csi4j.volume.powercut;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.StoredCatalog;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.journal.JournalStateStore;
import io.csi4j.volume.store.local.LocalStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A host whose state is on one disk: the volumes of a plugin, a manager, claims and a catalog. Each
 * is opened when it is asked for, with the real disk, mounts and sockets.
 */
final class Host implements AutoCloseable {

  static final PluginId PLUGIN = PluginId.of("hostpath.csi4j.example");
  static final int VOLUMES = 6;
  static final int USES_OF_A_VOLUME = 2;
  static final int USES = VOLUMES * USES_OF_A_VOLUME;
  static final int CLAIMS = 6;
  static final int CATALOG = 4;

  /** The file by which a volume is known again. */
  static final String MARK = "mark";

  private final Path disk;
  private final Path socket;
  private final JournalSettings journal;
  private final List<AutoCloseable> opened = new ArrayList<>();

  /**
   * A host that has nothing open.
   *
   * @param disk where its disk is mounted
   * @param sockets a directory for sockets that is not on it
   * @param segmentSize of all its journals; small ones are compacted often
   */
  Host(Path disk, Path sockets, int segmentSize) {
    this.disk = disk;
    socket = sockets.resolve("csi.sock");
    journal = JournalSettings.builder().segmentSize(segmentSize).build();
  }

  /** The directory of the manager. */
  static Path root(Path disk) {
    return disk.resolve("m");
  }

  Path root() {
    return root(disk);
  }

  HostPathPlugin plugin() throws IOException {
    // It names the process that had the plugin before the power cut, which here is this one.
    Files.deleteIfExists(disk.resolve("plugin/holder"));
    return add(HostPathPlugin.builder(disk.resolve("plugin")).socket(socket).open());
  }

  CsiPlugin client(HostPathPlugin plugin) {
    return add(CsiPlugin.connect(plugin.endpoint()));
  }

  /** The volumes that are used; made where they are missing. */
  static List<Volume> volumes(CsiPlugin client) {
    VolumeCapability how = VolumeCapability.mount(AccessMode.SINGLE_NODE_MULTI_WRITER);
    return IntStream.range(0, VOLUMES)
        .mapToObj(
            i ->
                client
                    .controller()
                    .createVolume(
                        CreateVolumeRequest.builder("v" + i, List.of(how))
                            .capacityRange(CapacityRange.atLeast(1 << 20))
                            .build()))
        .toList();
  }

  /** Writes its mark into each volume. */
  void mark(List<Volume> volumes) throws IOException {
    for (int i = 0; i < VOLUMES; i++) {
      Path content = disk.resolve("plugin/volumes").resolve(volumes.get(i).id().value());
      Files.writeString(content.resolve("disk").resolve(MARK), "v" + i);
    }
  }

  VolumeManager manager() {
    return add(
        VolumeManager.builder(root())
            .journal(journal)
            .settings(ManagerSettings.builder().closing(Duration.ofSeconds(5)).build())
            .open());
  }

  static PluginBinding binding(HostPathPlugin plugin) {
    return PluginBinding.builder(PLUGIN, plugin.endpoint())
        .policy(
            MountPolicy.builder()
                .quarantine(Duration.ofMillis(200))
                .backoff(Duration.ofMillis(10))
                .backoffCap(Duration.ofMillis(100))
                .backgroundCap(Duration.ofMillis(100))
                .build())
        .build();
  }

  LocalStore claims() {
    return add(LocalStore.on(JournalStateStore.open(disk.resolve("claims"), journal)));
  }

  LocalStore catalog() {
    return LocalStore.on(add(JournalStateStore.open(disk.resolve("catalog"), journal)));
  }

  VolumeController controller(LocalStore catalog, HostPathPlugin plugin) {
    PluginRegistry plugins = InMemoryPluginRegistry.open();
    plugins.register(PluginRegistration.controller(binding(plugin)));
    return add(VolumeController.builder(plugins, catalog).open());
  }

  // ---- names of things

  static VolumeUse usage(int use) {
    return VolumeUse.of(
        VolumeKey.of("v" + use / USES_OF_A_VOLUME), WorkloadId.of("w" + use % USES_OF_A_VOLUME));
  }

  static String thing(VolumeUse usage) {
    return "use " + usage.volume().id() + " of " + usage.workload();
  }

  static VolumeKey claimed(int claim) {
    return VolumeKey.of("k" + claim);
  }

  static VolumeKey cataloged(int entry) {
    return VolumeKey.of("c" + entry);
  }

  static MountRequest request(int use, List<Volume> volumes) {
    Volume volume = volumes.get(use / USES_OF_A_VOLUME);
    return MountRequest.builder(
            PLUGIN, usage(use), volume.id(), AccessMode.SINGLE_NODE_MULTI_WRITER)
        .volumeContext(volume.context())
        .build();
  }

  // ---- what is there

  /** The uses that a manager has on record, just after a start. */
  static Map<String, String> found(VolumeManager manager) {
    Map<String, String> found = new TreeMap<>();
    for (VolumeStatus volume : manager.volumes()) {
      for (VolumeStatus.Use use : volume.uses()) {
        found.put(
            thing(use.key()),
            use.status() == PathStatus.IN_DOUBT ? "mounted" : status(use.status()));
      }
    }
    return found;
  }

  private static String status(PathStatus status) {
    return status == PathStatus.GOING ? Word.UNSETTLED : status.name();
  }

  /** The claims: each by the mark of the write that made it what it is. */
  static Map<String, String> found(LocalStore claims) {
    Map<String, String> found = new HashMap<>();
    for (int i = 0; i < CLAIMS; i++) {
      VolumeKey volume = claimed(i);
      claims
          .read(ClaimCodec.key(volume))
          .ifPresent(
              record -> found.put("claim " + volume, StoredClaims.mark(record.value()).toString()));
    }
    return found;
  }

  /** The volumes of the catalog: each by its size. */
  static Map<String, String> volumes(LocalStore catalog) {
    Map<String, String> found = new HashMap<>();
    for (CatalogEntry entry : StoredCatalog.entries(catalog)) {
      found.put(
          "catalog " + entry.key(),
          entry.state() instanceof CatalogEntry.State.Present present
              ? size(present.volume().capacityBytes().orElse(0))
              : Word.UNSETTLED);
    }
    return found;
  }

  static String size(long bytes) {
    return bytes + " bytes";
  }

  private <T extends AutoCloseable> T add(T part) {
    opened.add(0, part);
    return part;
  }

  /** Closes what is open, the last first. Unmounts nothing. */
  @Override
  public void close() {
    for (AutoCloseable part : List.copyOf(opened)) {
      try {
        part.close();
      } catch (Exception e) {
        throw new AssertionError("closing " + part, e);
      }
    }
    opened.clear();
  }
}
