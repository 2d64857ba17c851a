package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.Eventually;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.KernelCall;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.volume.internal.text.ReportArchive;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.state.MemoryMedium;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The report that a running manager writes of itself. */
class ManagerReportTest {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final VolumeId HANDLE = VolumeId.of("vol-1");
  private static final VolumeUse WEB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-1"));
  private static final VolumeId CANARY = VolumeId.of("vol-2");
  private static final VolumeContext CONTEXT = VolumeContext.of(Map.of("share", "canary-volume"));
  private static final List<String> CANARIES =
      List.of("canary-secret", "canary-volume", "canary-publish", "canary-flag");
  private static final String ECHO = "the disk is busy: " + String.join(" ", CANARIES);
  private static final When STAGING = When.calling(CsiOperation.NODE_STAGE_VOLUME);
  private static final When UNPUBLISHING = When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME);

  @TempDir private Path temp;
  private final MemoryMedium medium = MemoryMedium.create();
  private final MemoryKernel kernel = new MemoryKernel();
  private FakeCsiPlugin fake;

  @BeforeEach
  void openPlugin() {
    fake =
        FakeCsiPlugin.builder()
            .shape(PluginShape.nodeOnly())
            .effects(NodeEffects.filesMountedIn(kernel.host()))
            .open();
    fake.addVolume(HANDLE);
  }

  @AfterEach
  void closePlugin() {
    fake.close();
  }

  private Path archive() {
    return temp.resolve("report.zip");
  }

  private VolumeManager.Builder builder() {
    return VolumeManager.builder(temp.resolve("v"))
        .state(medium.open())
        .mounts(kernel.table(), kernel.mounts())
        .settings(ManagerSettings.builder().closing(Duration.ofMillis(200)).build());
  }

  private VolumeManager claiming() {
    return builder()
        .claims(NodeClaims.of(NodeName.of("node-7"), (usage, epoch) -> new ClaimStanding.Current()))
        .plugin(
            PluginBinding.builder(PLUGIN, fake.nodeEndpoint())
                .policy(MountPolicy.builder().attempts(1).build())
                .build())
        .open();
  }

  private static MountRequest.Builder request() {
    return MountRequest.builder(PLUGIN, WEB, HANDLE, AccessMode.SINGLE_NODE_WRITER);
  }

  private static MountRequest withCanaries() {
    return MountRequest.builder(PLUGIN, WEB, CANARY, AccessMode.SINGLE_NODE_WRITER)
        .claim(
            new ClaimGrant(WEB, NodeName.of("node-7"), 5, ClaimMode.WRITE, PublishContext.empty()))
        .secrets(SecretsProvider.always(Secrets.of(Map.of("key", "canary-secret"))))
        .volumeContext(CONTEXT)
        .volumeOptions(
            MountOptions.none().withFsType("ext4").withFlags(MountFlags.of("password=canary-flag")))
        .build();
  }

  /** A request that the plugin refuses. */
  private static MountRequest attached() {
    VolumeUse job = VolumeUse.of(VolumeKey.of("log"), WorkloadId.of("job-1"));
    return MountRequest.builder(PLUGIN, job, HANDLE, AccessMode.SINGLE_NODE_WRITER)
        .publishContext(PublishContext.of(Map.of("device", "canary-publish")))
        .build();
  }

  private Map<String, List<String>> entries() throws IOException {
    Map<String, List<String>> entries = new LinkedHashMap<>();
    try (ZipFile zip = new ZipFile(archive().toFile())) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        entries.put(
            entry.getName(),
            new String(zip.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList());
      }
    }
    return entries;
  }

  @Test
  void theReportTellsOfEverythingAndOfNoValueThatMayBeSecret() throws IOException {
    String volume = "volume 'vol-2' of plugin 'fake.csi4j.example'";
    String owner = "workload 'web-1' (default/db)";
    Map<String, List<String>> entries;
    fake.addVolume(CANARY, CapacityRange.exactly(1 << 30), CONTEXT);
    try (VolumeManager manager = claiming()) {
      String path = manager.mount(withCanaries()).path().toString();
      fake.inject(Fault.fail(StatusCode.INVALID_ARGUMENT, ECHO), STAGING);
      VolumeException attached =
          catchThrowableOfType(VolumeException.class, () -> manager.mount(attached()));
      fake.inject(Fault.fail(StatusCode.INTERNAL, ECHO), UNPUBLISHING);
      VolumeException failure =
          catchThrowableOfType(VolumeException.class, () -> manager.unmount(WEB));
      assertThat(failure.operatorMessage().line()).contains("the disk is busy");

      manager.dump(archive());

      entries = entries();
      assertThat(entries.get("messages.txt"))
          .anyMatch(line -> line.endsWith(" " + attached.operatorMessage().line()))
          .anyMatch(line -> line.endsWith(" " + failure.operatorMessage().line()));
      assertThat(entries.get("mounts.txt"))
          .anyMatch(line -> line.startsWith(path + ": "))
          .anyMatch(line -> line.startsWith("the directory is on "));
      assertThat(entries.get("volumes.txt"))
          .contains(
              volume + ": filesystem ext4, SINGLE_NODE_WRITER, staging PRESENT",
              "  " + owner + ": GOING, at " + path);
    }

    assertThat(entries.keySet())
        .containsExactly(
            "versions.txt",
            "plugins.txt",
            "volumes.txt",
            "explain.txt",
            "claims.txt",
            "owed.txt",
            "messages.txt",
            "mounts.txt");
    assertThat(entries.get("versions.txt"))
        .contains("CSI 1.13", "Java " + Runtime.version(), "directory " + temp.resolve("v"));
    assertThat(entries.get("plugins.txt"))
        .contains(
            "plugin 'fake.csi4j.example', instance 'only'",
            "  endpoint: " + fake.nodeEndpoint(),
            "  roles: NODE",
            "  registered in this run")
        .anyMatch(line -> line.startsWith("  health: STARTING since "))
        .anyMatch(line -> line.startsWith("  policy: MountPolicy{"));
    assertThat(entries.get("explain.txt"))
        .anyMatch(line -> line.startsWith(volume + ": filesystem, staged, used by 1 workload"))
        .anyMatch(line -> line.startsWith("  trouble: "));
    assertThat(entries.get("claims.txt"))
        .containsExactly(
            "the manager was opened with claims, as node 'node-7'",
            volume + ", " + owner + ": epoch 5, confirmed here once");
    assertThat(entries.get("owed.txt"))
        .startsWith(volume, "  NodeUnpublishVolume for " + owner + ", as its release has begun")
        .anyMatch(line -> line.startsWith("  trouble: ") && line.contains("the disk is busy"));
    assertThat(entries.values()).allSatisfy(lines -> assertThat(lines).isNotEmpty());
    assertThat(entries.toString()).doesNotContain(CANARIES);
  }

  @Test
  void onlyItsOwnerMayReadAReportAndAnotherOneNeverReplacesIt() throws IOException {
    try (VolumeManager manager = builder().open()) {
      manager.dump(archive());

      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(archive())))
          .isEqualTo("rw-------");
      byte[] first = Files.readAllBytes(archive());
      assertThatExceptionOfType(VolumeException.class)
          .isThrownBy(() -> manager.dump(archive()))
          .returns(VolumeException.Outcome.REFUSED, VolumeException::outcome)
          .withMessage(
              "CSI-602 PATH_IN_THE_WAY: writing the archive '%s': it is there already; it was not"
                  + " touched. Name a path where nothing is.",
              archive());
      assertThat(Files.readAllBytes(archive())).isEqualTo(first);
    }

    Map<String, List<String>> entries = entries();
    assertThat(entries).containsEntry("plugins.txt", List.of("no plugin is known"));
    assertThat(entries).containsEntry("volumes.txt", List.of("no volume is known"));
    assertThat(entries)
        .containsEntry("claims.txt", List.of("the manager was opened without claims"));
    assertThat(entries).containsEntry("owed.txt", List.of("no work is pending"));
  }

  @Test
  void aReportGoesIntoTheFileThatWasMadeForItAlsoIfAnotherOneGetsItsName() throws IOException {
    ManagerReport report =
        new ManagerReport(
            MountPath.of(temp.resolve("v")),
            kernel.table(),
            Optional.empty(),
            List.of(),
            List.of(),
            List.of());
    Path made = temp.resolve("made.zip");

    report.writeTo(
        archive(),
        path -> {
          SeekableByteChannel file = ReportArchive.create(path);
          Files.move(path, made);
          Files.writeString(path, "of another");
          return file;
        });

    assertThat(archive()).hasContent("of another");
    Files.move(made, archive(), StandardCopyOption.REPLACE_EXISTING);
    assertThat(entries()).containsKey("versions.txt");
  }

  @Test
  void aPluginThatHangsHoldsNoReportUp() throws IOException {
    try (VolumeManager manager =
        builder().plugin(PluginBinding.of(PLUGIN, fake.nodeEndpoint())).open()) {
      fake.inject(Fault.hang(), STAGING);
      var unused = manager.async().mount(request().build());
      Eventually.isTrue(
          "the plugin hangs",
          () -> !fake.journal().calls(CsiOperation.NODE_STAGE_VOLUME).isEmpty());

      manager.dump(archive());
    }

    assertThat(entries().get("explain.txt"))
        .anyMatch(
            line -> line.startsWith("  now: mounting for workload 'web-1' (default/db): waiting"));
    assertThat(entries().get("owed.txt"))
        .contains("  the plugin may still be working on NodeStageVolume for the staging");
  }

  @Test
  void whatOpensAnAddressIsNotInTheReportOfItsMount() throws IOException {
    try (VolumeManager manager = builder().open()) {
      MountPath place = kernel.host().directory(MountPath.of(temp.resolve("v/dav").toString()));
      kernel
          .mounts()
          .mount(
              FilesystemRequest.builder(
                      "nfs4", KernelText.of("https://user:" + CANARIES.get(0) + "@host/a@b"), place)
                  .build());

      manager.dump(archive());

      assertThat(entries().get("mounts.txt"))
          .anyMatch(line -> line.startsWith(place + ": nfs4 from https://…@host/a@b, "));
      assertThat(entries().toString()).doesNotContain(CANARIES.get(0));
      kernel.host().detach(place);
    }
  }

  @Test
  void aTableOfMountsThatCannotBeReadIsToldInTheReport() throws IOException {
    try (VolumeManager manager = builder().open()) {
      kernel.failNext(KernelCall.LIST, new Errno(2));

      manager.dump(archive());
    }

    assertThat(entries().get("mounts.txt"))
        .singleElement()
        .asString()
        .startsWith("the mount table cannot be read: ");
  }
}
