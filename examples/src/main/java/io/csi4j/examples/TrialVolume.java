package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.ControllerUnpublishVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A volume of the tested driver, with all properties that a host needs to mount it.
 *
 * @param name the name of the volume at its creation, which is also the host's name of the volume
 * @param id the driver's id of the volume
 * @param context the context that the driver returned for the volume
 * @param publishContext the context of the attachment; empty if the driver does not attach volumes
 * @param plugin the host's name for the driver
 */
record TrialVolume(
    String name,
    VolumeId id,
    Map<String, String> context,
    Map<String, String> publishContext,
    PluginId plugin) {

  /** The driver of a trial with one driver. */
  static final PluginId DRIVER = PluginId.of("driver");

  private static final String FILES = ".volume";

  /** Number of attempts of a controller call before its failure is final. */
  private static final int ATTEMPTS = 5;

  private static final long SIZE = 64 << 20;

  /** Creates the volume, and attaches it if the driver attaches volumes. */
  static TrialVolume create(CsiPlugin plugin, String name, Map<String, String> parameters) {
    return create(plugin, name, parameters, DRIVER.value());
  }

  /** Creates a volume of a driver for which the host uses another name. */
  static TrialVolume create(
      CsiPlugin plugin, String name, Map<String, String> parameters, String driver) {
    VolumeCapability capability = VolumeCapability.mount(mode(plugin));
    Volume volume =
        repeated(
            () ->
                plugin
                    .controller()
                    .createVolume(
                        CreateVolumeRequest.builder(name, List.of(capability))
                            .capacityRange(CapacityRange.atLeast(SIZE))
                            .parameters(parameters)
                            .build()));
    PublishContext attached = PublishContext.empty();
    if (attaches(plugin)) {
      NodeId node = plugin.node().getInfo().nodeId();
      attached =
          repeated(
              () ->
                  plugin
                      .controller()
                      .publishVolume(
                          ControllerPublishVolumeRequest.builder(volume.id(), node, capability)
                              .volumeContext(volume.context())
                              .build())
                      .publishContext());
    }
    return new TrialVolume(
        name, volume.id(), volume.context().reveal(), attached.reveal(), PluginId.of(driver));
  }

  /** Detaches and deletes the volume. Then deletes it a second time, which must also succeed. */
  void delete(CsiPlugin plugin) {
    if (attaches(plugin)) {
      NodeId node = plugin.node().getInfo().nodeId();
      repeated(
          () -> {
            plugin
                .controller()
                .unpublishVolume(ControllerUnpublishVolumeRequest.builder(id, node).build());
            return true;
          });
    }
    for (int i = 0; i < 2; i++) {
      repeated(
          () -> {
            plugin.controller().deleteVolume(DeleteVolumeRequest.builder(id).build());
            return true;
          });
    }
  }

  private static boolean attaches(CsiPlugin plugin) {
    return plugin
        .controller()
        .getCapabilities()
        .offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
  }

  private static AccessMode mode(CsiPlugin plugin) {
    return plugin
            .controller()
            .getCapabilities()
            .offers(ControllerCapability.SINGLE_NODE_MULTI_WRITER)
        ? AccessMode.SINGLE_NODE_MULTI_WRITER
        : AccessMode.SINGLE_NODE_WRITER;
  }

  /** Repeats a controller call if it fails, as an orchestrator does. */
  private static <T> T repeated(Supplier<T> call) {
    for (int attempt = 1; ; attempt++) {
      try {
        return call.get();
      } catch (CsiException failed) {
        if (attempt == ATTEMPTS) {
          throw failed;
        }
      }
    }
  }

  VolumeUse use(String workload) {
    return VolumeUse.of(VolumeKey.of(name), WorkloadId.of(workload));
  }

  /** Returns the mount request of a workload. Several workloads on the node may write. */
  MountRequest request(String workload) {
    return MountRequest.builder(plugin, use(workload), id, AccessMode.SINGLE_NODE_MULTI_WRITER)
        .volumeContext(VolumeContext.of(context))
        .publishContext(PublishContext.of(publishContext))
        .build();
  }

  /** Writes the volume to a file in the directory, for processes that mount the volume. */
  void write(Path directory) throws IOException {
    Properties facts = new Properties();
    facts.setProperty("id", id.value());
    context.forEach((key, value) -> facts.setProperty("context." + key, value));
    publishContext.forEach((key, value) -> facts.setProperty("publish." + key, value));
    try (Writer out = Files.newBufferedWriter(directory.resolve(name + FILES))) {
      facts.store(out, null);
    }
  }

  /** Reads all volumes of the directory, by name. */
  static Map<String, TrialVolume> readAll(Path directory) throws IOException {
    Map<String, TrialVolume> volumes = new HashMap<>();
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + FILES)) {
      files.forEach(found::add);
    }
    for (Path file : found) {
      Properties facts = new Properties();
      try (Reader in = Files.newBufferedReader(file)) {
        facts.load(in);
      }
      String name = file.getFileName().toString().replace(FILES, "");
      volumes.put(
          name,
          new TrialVolume(
              name,
              VolumeId.of(facts.getProperty("id")),
              below("context.", facts),
              below("publish.", facts),
              DRIVER));
    }
    return volumes;
  }

  private static Map<String, String> below(String prefix, Properties facts) {
    return facts.stringPropertyNames().stream()
        .filter(key -> key.startsWith(prefix))
        .collect(Collectors.toMap(key -> key.substring(prefix.length()), facts::getProperty));
  }
}
