package io.csi4j.volume.kill;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.DutyId;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is around the engine that is killed: the plugins, their volumes with a file in each, and the
 * kernel's table. Nothing of the engine is asked here.
 */
final class KillWorld implements AutoCloseable {

  private static final VolumeCapability USE =
      VolumeCapability.mount(AccessMode.SINGLE_NODE_MULTI_WRITER);

  /** Of mount(2). */
  private static final long MS_SHARED = 1 << 20;

  /** An emulated machine takes long for the first call, which loads classes on both sides. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  static final ConnectOptions PATIENT =
      ConnectOptions.builder()
          .deadline(PATIENCE)
          .policies(policy -> policy.attemptDeadline(PATIENCE))
          .build();

  private static final DutyId GAVE_BACK_WHAT_IT_NEVER_TOOK = DutyId.of(556);

  private final Scratch scratch;
  private final Path directory;
  private final Map<PluginId, StoragePlugin> plugins = new LinkedHashMap<>();
  private final Map<PluginId, CsiPlugin> clients = new LinkedHashMap<>();
  private final VolumeLayout layout;
  private final List<EngineProcess> started = new ArrayList<>();

  /**
   * A use of a volume, by the names that the engine is given.
   *
   * @param volume the name of the volume
   * @param workload the name of the workload
   * @param plugin the plugin that has the volume
   * @param handle the volume as the plugin names it
   * @param context what the plugin gave with it, as {@code key=value,key=value}
   */
  record Use(String volume, String workload, PluginId plugin, VolumeId handle, String context) {

    Use by(String other) {
      return new Use(volume, other, plugin, handle, context);
    }

    VolumeUse key() {
      return VolumeUse.of(VolumeKey.of(volume), WorkloadId.of(workload));
    }

    VolumeIdentity identity() {
      return new VolumeIdentity(plugin, handle);
    }

    @Override
    public String toString() {
      return String.join(":", volume, workload, plugin.value(), handle.value(), context);
    }
  }

  /** A world with one plugin, which lives in this process. */
  KillWorld(Scratch scratch) {
    this(scratch, List.of(EngineMain.PLUGIN), StoragePlugin.InThisProcess::open);
  }

  private KillWorld(
      Scratch scratch, List<PluginId> ids, BiFunction<PluginId, Path, StoragePlugin> open) {
    this.scratch = scratch;
    directory = scratch.root().toPath();
    layout = new VolumeLayout(MountPath.of(directory.resolve("m")));
    ids.forEach(id -> plugins.put(id, open.apply(id, directory.resolve(id.value()))));
  }

  /** A world whose plugins are processes, which can be killed as well. */
  static KillWorld ofMortalPlugins(Scratch scratch, PluginId... ids) {
    return new KillWorld(scratch, List.of(ids), MortalPlugin::open);
  }

  /** The plugin that lives in this process. */
  HostPathPlugin plugin() {
    return ((StoragePlugin.InThisProcess) plugins.get(EngineMain.PLUGIN)).plugin();
  }

  /** The plugins that are processes. */
  List<MortalPlugin> mortals() {
    return plugins.values().stream().map(MortalPlugin.class::cast).toList();
  }

  VolumeLayout layout() {
    return layout;
  }

  /** A volume with a file in it that nobody wrote through the engine, for workload {@code w1}. */
  Use volume(String name) {
    return volume(name, EngineMain.PLUGIN);
  }

  /** One that this plugin has. */
  Use volume(String name, PluginId id) {
    StoragePlugin plugin = plugins.get(id);
    Volume made =
        clients
            .computeIfAbsent(id, any -> CsiPlugin.connect(CsiEndpoint.of(plugin.socket()), PATIENT))
            .controller()
            .createVolume(
                CreateVolumeRequest.builder(name, List.of(USE))
                    .capacityRange(CapacityRange.atLeast(1 << 20))
                    .build());
    VolumeId handle = made.id();
    try {
      Files.writeString(plugin.content(handle).resolve("name"), name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String context =
        made.context().reveal().entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(","));
    return new Use(name, "w1", id, handle, context);
  }

  /** An engine over what those before it left. */
  EngineProcess engine(String... first) {
    EngineProcess engine = EngineProcess.start(layout.root().toPath(), plugins.values(), first);
    started.add(engine);
    return engine;
  }

  // ---- what the kernel says

  /** The number of each mount below the root of the engine, by its path. */
  Map<String, Long> mounts() {
    Map<String, Long> mounts = new TreeMap<>();
    String root = layout.root() + "/";
    for (String row : Scratch.rows("self")) {
      String[] fields = row.split(" ", -1);
      if (fields[4].startsWith(root)) {
        Long before = mounts.put(fields[4], Long.valueOf(fields[0]));
        if (before != null) {
          throw new AssertionError("Mounted twice: " + row);
        }
      }
    }
    return mounts;
  }

  /** Where a use appears. */
  Path target(Use use) {
    return layout.target(use.identity(), use.key()).toPath();
  }

  /** What is wrong with a use that is wanted: nothing, if it is mounted and has its file. */
  List<String> wrongIfWanted(Use use) {
    Map<String, Long> mounts = mounts();
    List<String> wrong = new ArrayList<>();
    if (!mounts.containsKey(target(use).toString())) {
      wrong.add(use + " is not mounted");
    } else if (!name(use).equals(use.volume())) {
      wrong.add(use + " has another volume's file: " + name(use));
    }
    if (!mounts.containsKey(layout.staging(use.identity()).toString())) {
      wrong.add(use + " is not staged");
    }
    return wrong;
  }

  /** What is left of a volume that nobody wants. */
  List<String> leftOf(Use use) {
    List<String> left = new ArrayList<>();
    String top = layout.volume(use.identity()).toString();
    mounts().keySet().stream().filter(path -> path.startsWith(top)).forEach(left::add);
    if (Files.exists(Path.of(top))) {
      left.add("directory " + top);
    }
    if (plugins.get(use.plugin()).staged().contains(use.handle())) {
      left.add("the plugin has it staged: " + use);
    }
    return left;
  }

  /** What is left of one use of a volume that others go on using. */
  List<String> leftOfUse(Use use) {
    String top = layout.use(use.identity(), use.key()).toString();
    List<String> left = new ArrayList<>();
    mounts().keySet().stream().filter(path -> path.startsWith(top)).forEach(left::add);
    if (Files.exists(Path.of(top))) {
      left.add("directory " + top);
    }
    return left;
  }

  /** Everything that is left of any volume, after all were given back. */
  List<String> left() {
    List<String> left = new ArrayList<>(mounts().keySet());
    try (Stream<Path> all = Files.list(layout.volumes().toPath())) {
      all.map(Path::toString).forEach(left::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    plugins.values().forEach(plugin -> left.addAll(plugin.pending()));
    return left;
  }

  /** Lets mounts that are made here be seen in other mount namespaces, and the other way round. */
  void shareMounts() {
    scratch.rawMount("none", directory, "none", MS_SHARED, null);
  }

  /**
   * What the plugin's caller did against the duties that it is held to. A caller who was killed
   * before it could call gives back what it never took, which is not forbidden to it.
   */
  List<Breach> breaches() {
    return HeldDuties.broken(plugin().verdict()).stream()
        .filter(breach -> !breach.duty().equals(GAVE_BACK_WHAT_IT_NEVER_TOOK))
        .toList();
  }

  /** The content of a use's volume, where its plugin keeps it. */
  Path content(Use use) {
    return plugins.get(use.plugin()).content(use.handle());
  }

  private String name(Use use) {
    try {
      return Files.readString(target(use).resolve("name"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void close() {
    started.forEach(EngineProcess::close);
    clients.values().forEach(CsiPlugin::close);
    plugins.values().forEach(StoragePlugin::close);
  }
}
