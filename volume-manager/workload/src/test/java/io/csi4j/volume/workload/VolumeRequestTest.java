package io.csi4j.volume.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.model.Propagation;
import io.csi4j.volume.internal.names.ModeNames;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.InvalidRequestException;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.workload.VolumeMount.SelinuxRelabel;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a workload may ask of a volume, and in which words. */
class VolumeRequestTest {

  private static final WorkloadId WEB = WorkloadId.of("web-1");
  private static final ResolvedVolume.Csi VOLUME =
      ResolvedVolume.csi(
              CatalogVolume.builder(
                      VolumeKey.of("db"),
                      VolumeSpec.builder(PluginId.of("plugin"))
                          .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
                          .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.BLOCK)
                          .use(
                              VolumeCapability.mount(
                                  AccessMode.MULTI_NODE_READER_ONLY,
                                  MountOptions.none().withFlags(MountFlags.of("norecovery"))))
                          .mountOptions(
                              MountOptions.none()
                                  .withFsType("ext4")
                                  .withFlags(MountFlags.of("noatime")))
                          .build(),
                      VolumeId.of("vol-7"))
                  .context(VolumeContext.of(Map.of("pool", "fast")))
                  .build(),
              operation -> Secrets.of(Map.of("password", "hush")))
          .attached(PublishContext.of(Map.of("device", "/dev/sdb")));

  private static VolumeRequest.Builder csi() {
    return VolumeRequest.builder("data", VolumeRequest.Type.CSI, "db")
        .accessMode(AccessMode.SINGLE_NODE_WRITER)
        .attachment(AttachmentMode.FILESYSTEM);
  }

  private static InvalidRequestException refusal(Supplier<?> building) {
    return catchThrowableOfType(InvalidRequestException.class, building::get);
  }

  @Test
  void aCapabilitySaysAllOfTheUse() {
    MountOptions options = MountOptions.none().withFsType("xfs");
    VolumeCapability mounted = VolumeCapability.mount(AccessMode.MULTI_NODE_READER_ONLY, options);

    assertThat(VolumeRequest.csi("db").use(mounted).build())
        .isEqualTo(
            VolumeRequest.builder("db", VolumeRequest.Type.CSI, "db")
                .accessMode(AccessMode.MULTI_NODE_READER_ONLY)
                .attachment(AttachmentMode.FILESYSTEM)
                .mountOptions(options)
                .build());
    assertThat(
            csi().use(mounted).use(VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER)).build())
        .as("the last one counts, also for the mount options")
        .isEqualTo(csi().attachment(AttachmentMode.BLOCK).build());
  }

  @Test
  void everythingThatIsWrongIsToldAtOnce() {
    VolumeRequest.Builder wrong =
        VolumeRequest.builder("", VolumeRequest.Type.CSI, "")
            .accessMode("read-write")
            .attachment("directory");

    assertThat(refusal(wrong::build))
        .hasMessage(
            "The volume request '' is refused: alias is refused: The alias of a"
                + " volume is empty. Give the name that the host uses; source is refused:"
                + " The source of a volume is empty. Give the name that the host uses;"
                + " access_mode is refused: The access modes are single-node-writer,"
                + " single-node-reader-only, multi-node-reader-only,"
                + " multi-node-single-writer, multi-node-multi-writer,"
                + " single-node-single-writer, single-node-multi-writer; attachment_mode"
                + " is refused: A volume is attached as 'filesystem' or 'block'; the"
                + " given value is neither.")
        .extracting(InvalidRequestException::violations)
        .isEqualTo(wrong.violations());
    assertThat(wrong.violations())
        .extracting(each -> each.field() + " " + each.rule())
        .containsExactly(
            "alias REQUIRED",
            "source REQUIRED",
            "access_mode UNRECOGNIZED",
            "attachment_mode UNRECOGNIZED");
  }

  @Test
  void aCsiVolumeHasToSayWhoMayWriteAndAsWhatItIsWanted() {
    assertThat(refusal(VolumeRequest.builder("data", VolumeRequest.Type.CSI, "db")::build))
        .hasMessage(
            "The volume request 'data' is refused: access_mode is missing: say how"
                + " many nodes may use the volume, and which may write; attachment_mode"
                + " is missing: say whether a filesystem or a block.");
    assertThat(csi().accessMode(AccessMode.UNRECOGNIZED).violations())
        .extracting(each -> each.field() + " " + each.rule())
        .containsExactly("access_mode REQUIRED");
  }

  @Test
  void aBlockDeviceHasNoMountOptions() {
    assertThat(
            refusal(
                csi()
                        .attachment(AttachmentMode.BLOCK)
                        .mountOptions(MountOptions.none().withFsType("ext4"))
                    ::build))
        .hasMessage(
            "The volume request 'data' is refused: mount_options are given for a"
                + " block device, which is not mounted: leave them out.");
  }

  @Test
  void aHostVolumeHasNothingThatAPluginWouldNeed() {
    assertThat(
            VolumeRequest.builder("logs", VolumeRequest.Type.HOST, "var-log")
                .accessMode("single-node-writer")
                .attachment("block")
                .mountOptions(MountOptions.none().withFsType("ext4"))
                .workloadFacts(WorkloadFacts.of(VolumeUse.of(VolumeKey.of("var-log"), WEB)))
                .violations())
        .extracting(each -> each.field() + " " + each.rule())
        .containsExactly(
            "access_mode MISMATCH",
            "attachment_mode MISMATCH",
            "mount_options MISMATCH",
            "workload_facts MISMATCH");
    VolumeRequest plain = VolumeRequest.builder("logs", VolumeRequest.Type.HOST, "var-log").build();
    assertThat(plain.attachment()).isEqualTo(AttachmentMode.FILESYSTEM);
    assertThat(plain.accessMode()).isEmpty();
    assertThat(plain.readOnly()).isFalse();
    assertThatIllegalStateException()
        .isThrownBy(() -> plain.toMountRequest(VOLUME, WEB))
        .withMessage("A host volume is not mounted by a plugin.");
  }

  @ParameterizedTest
  @EnumSource(
      value = AccessMode.class,
      names = {"UNSPECIFIED", "UNRECOGNIZED"},
      mode = EnumSource.Mode.EXCLUDE)
  void theWordOfAnAccessModeIsItsNameInSmallLetters(AccessMode mode) {
    String word = mode.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    assertThat(csi().accessMode(word).build()).isEqualTo(csi().accessMode(mode).build());
  }

  @ParameterizedTest
  @CsvSource({
    "SINGLE_NODE_WRITER, false",
    "SINGLE_NODE_READER_ONLY, true",
    "MULTI_NODE_READER_ONLY, true",
    "MULTI_NODE_SINGLE_WRITER, false",
  })
  void aModeThatOnlyReadsMakesTheRequestReadOnly(AccessMode mode, boolean readOnly) {
    assertThat(csi().accessMode(mode).build().readOnly()).isEqualTo(readOnly);
    assertThat(csi().accessMode(mode).readOnly(true).build().readOnly()).isTrue();
  }

  @Test
  @Tag("S-51")
  void theSourceIsOneForAllInstancesOrOneForEach() {
    assertThat(csi().build().sourceOf(3)).isEqualTo("db");
    assertThat(csi().perInstance(true).build().sourceOf(3)).isEqualTo("db[3]");
    assertThat(csi().perInstance(true).build().source()).isEqualTo("db");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> csi().build().sourceOf(-1))
        .withMessage("The number of an instance is negative: -1. Count from zero.");
  }

  @ParameterizedTest
  @Tag("S-51")
  @CsvSource({
    "SINGLE_NODE_WRITER, false",
    "SINGLE_NODE_READER_ONLY, false",
    "SINGLE_NODE_SINGLE_WRITER, false",
    "MULTI_NODE_SINGLE_WRITER, false",
    "SINGLE_NODE_MULTI_WRITER, true",
    "MULTI_NODE_READER_ONLY, true",
    "MULTI_NODE_MULTI_WRITER, true",
  })
  void severalInstancesShareOnlyWhatHasRoomForThem(AccessMode mode, boolean shared) {
    assertThat(csi().accessMode(mode).instances(3).violations())
        .hasToString(
            shared
                ? "[]"
                : "[access_mode "
                    + ModeNames.limit(mode)
                    + ", and 3 instances would share the volume: choose a mode that admits several"
                    + " workloads, or give each instance its own volume]");
    assertThat(csi().accessMode(mode).instances(3).perInstance(true).violations()).isEmpty();
    assertThat(csi().accessMode(mode).instances(1).violations()).isEmpty();
  }

  @Test
  void filesAreGivenToSomebodyOnlyWhereTheyMayChange() {
    FileOwnership wish = FileOwnership.ofGroup(2000);
    VolumeRequest.Builder request = csi().accessMode(AccessMode.SINGLE_NODE_WRITER).ownership(wish);
    assertThat(request.build().ownership()).contains(wish);
    assertThat(request.build())
        .hasToString("VolumeRequest[data: csi db, SINGLE_NODE_WRITER, filesystem, for group 2000]")
        .isEqualTo(request.build().toBuilder().build())
        .isNotEqualTo(csi().accessMode(AccessMode.SINGLE_NODE_WRITER).build());

    assertThat(request.build().toBuilder().readOnly(true).violations())
        .hasToString(
            "[ownership is given for a volume that is only read, whose files cannot change: leave"
                + " it out]");
    assertThat(request.build().toBuilder().attachment(AttachmentMode.BLOCK).violations())
        .hasToString("[ownership is given for a block device, which has no files: leave it out]");
    assertThat(
            request.build().toBuilder().accessMode(AccessMode.MULTI_NODE_MULTI_WRITER).violations())
        .hasToString(
            "[ownership is given for a volume that other nodes may use meanwhile: mount it with a"
                + " group, or set the owners once by hand]");
    assertThat(
            VolumeRequest.builder("logs", VolumeRequest.Type.HOST, "l")
                .ownership(wish)
                .violations())
        .hasToString("[ownership is given for a host volume: leave it out]");
  }

  @Test
  void whatAWorkloadBringsIsSaidOnceAndReachesTheVolumeManager() {
    WorkloadFacts facts = WorkloadFacts.of(VolumeUse.of(VolumeKey.of("db"), WEB)).withUid("u-1");
    VolumeRequest request =
        csi().workloadFacts(facts).ownership(FileOwnership.ofGroup(2000)).build();

    assertThat(request.workloadFacts()).contains(facts);
    assertThat(request.groupIfOffered()).contains("2000");
    assertThat(request.toBuilder().build()).isEqualTo(request);
    assertThat(request.toBuilder().workloadFacts(facts.withUid("u-2")).build())
        .isNotEqualTo(request);
    MountRequest mount = request.toMountRequest(VOLUME, WEB);
    assertThat(mount.workloadFacts()).contains(facts);
    assertThat(mount.groupIfOffered()).contains("2000");
    assertThat(
            csi()
                .ownership(FileOwnership.builder().user(1000).group(2000).build())
                .build()
                .groupIfOffered())
        .as("a user is more than a plugin sets")
        .isEmpty();
    assertThat(csi().build().toMountRequest(VOLUME, WEB).workloadFacts()).isEmpty();
  }

  @Test
  @Tag("S-51")
  void severalInstancesMayReadWhatOneMayWrite() {
    assertThat(
            csi()
                .accessMode(AccessMode.MULTI_NODE_SINGLE_WRITER)
                .instances(3)
                .readOnly(true)
                .violations())
        .isEmpty();
  }

  @Test
  void theVolumeManagerIsAskedForWhatTheRequestAndTheHostSay() {
    MountRequest request =
        csi()
            .readOnly(true)
            .mountOptions(MountOptions.none().withFsType("xfs"))
            .build()
            .toMountRequest(VOLUME, WEB);

    assertThat(request)
        .isEqualTo(
            MountRequest.builder(
                    PluginId.of("plugin"),
                    VolumeUse.of(VolumeKey.of("db"), WEB),
                    VolumeId.of("vol-7"),
                    AccessMode.SINGLE_NODE_WRITER)
                .volumeOptions(VOLUME.volume().spec().mountOptions())
                .requestOptions(MountOptions.none().withFsType("xfs"))
                .volumeContext(VOLUME.volume().context())
                .publishContext(VOLUME.publishContext())
                .readOnly(true)
                .build());
    assertThat(request.secrets().secretsFor(CsiOperation.NODE_STAGE_VOLUME))
        .isEqualTo(Secrets.of(Map.of("password", "hush")));
  }

  /** A way of use may have its own mount options, and is sent to the controller with them. */
  @Test
  void theMountOptionsOfAVolumeAreThoseOfTheWayInWhichItIsUsed() {
    MountRequest reading =
        csi().accessMode(AccessMode.MULTI_NODE_READER_ONLY).build().toMountRequest(VOLUME, WEB);

    assertThat(reading.capability())
        .isEqualTo(
            VOLUME
                .volume()
                .capability(AccessMode.MULTI_NODE_READER_ONLY, AttachmentMode.FILESYSTEM)
                .orElseThrow())
        .isEqualTo(
            VolumeCapability.mount(
                AccessMode.MULTI_NODE_READER_ONLY,
                MountOptions.none().withFsType("ext4").withFlags(MountFlags.of("norecovery"))));
  }

  @Test
  void aBlockDeviceIsAskedForWithoutTheMountOptionsOfTheVolume() {
    MountRequest request = csi().attachment("block").build().toMountRequest(VOLUME, WEB);

    assertThat(request.capability().isBlock()).isTrue();
    assertThat(request.readOnly()).isFalse();
  }

  @Test
  void requestsCompareByValueAndShowNoMountFlag() {
    VolumeRequest.Builder builder =
        csi().mountOptions(MountOptions.none().withFlags(MountFlags.of("password=hush")));
    assertThat(builder.build()).isEqualTo(builder.build()).hasSameHashCodeAs(builder.build());
    assertThat(builder.build())
        .isNotEqualTo(csi().build())
        .isNotEqualTo(builder.perInstance(true).build());
    assertThat(builder.readOnly(true).build())
        .hasToString(
            "VolumeRequest[data: csi db[n], SINGLE_NODE_WRITER, filesystem,"
                + " MountOptions[fsType=any, flags=[1 redacted], volumeMountGroup=none],"
                + " read-only]");
    assertThat(VOLUME).hasToString("default/db (vol-7 of plugin)");
  }

  // ---- created for the job

  @Test
  void allThatIsWrongWithAVolumeForTheJobIsReportedWithTheRequest() {
    VolumeSpec.Builder wrong =
        VolumeSpec.builder(PluginId.of("ebs"))
            .cloneOf(VolumeId.of("vol-1"))
            .fromSnapshot(SnapshotId.of("snap-1"))
            .use(AccessMode.UNSPECIFIED, AttachmentMode.FILESYSTEM)
            .mountOptions(MountOptions.none().withFsType("xfs"));

    assertThat(csi().created(wrong).violations())
        .extracting(each -> each.field() + " " + each.rule())
        .containsExactly("created.capabilities[0].access_mode REQUIRED", "created.source MISMATCH");
    assertThat(
            csi()
                .attachment("block")
                .created(
                    VolumeSpec.builder(PluginId.of("ebs"))
                        .mountOptions(MountOptions.none().withFsType("xfs")))
                .violations())
        .hasToString(
            "[created.mount_options are given for a volume that is a block device only, and never"
                + " mounted]");
    assertThat(csi().created(wrong.fromSnapshot(SnapshotId.of("snap-2"))).violations())
        .hasToString(
            "[created.capabilities[0].access_mode is none of the spec: UNSPECIFIED,"
                + " created.source is a snapshot and a volume: leave one of them out]");
  }

  /** The use of the request is the one that is missing; the volume has no other. */
  @Test
  void aUseThatIsMissingIsReportedOnce() {
    VolumeSpec.Builder plain = plain();
    assertThat(
            VolumeRequest.builder("data", VolumeRequest.Type.CSI, "db")
                .accessMode("read-write")
                .created(plain)
                .violations())
        .extracting(each -> each.field() + " " + each.rule())
        .containsExactly("access_mode UNRECOGNIZED", "attachment_mode REQUIRED");
    assertThat(csi().accessMode(AccessMode.UNSPECIFIED).created(plain).violations())
        .extracting(each -> each.field() + " " + each.rule())
        .containsExactly("access_mode REQUIRED");
  }

  @Test
  void aVolumeForTheJobIsDescribedAsAnyOtherWithTheUseOfTheRequest() {
    VolumeSpec.Builder wish =
        VolumeSpec.builder(PluginId.of("ebs"))
            .capacity(CapacityRange.atLeast(1 << 30))
            .parameters(Map.of("tier", "s3cr3t"))
            .mutableParameters(Map.of("iops", "300"))
            .mountOptions(MountOptions.none().withFsType("xfs"))
            .topologies(TopologyRequirement.anyOf(Set.of(Topology.of(Map.of("zone", "a")))))
            .secrets(SecretsReference.of("prod/ebs"))
            .fromSnapshot(SnapshotId.of("snap-1"));
    VolumeRequest request =
        VolumeRequest.builder("scratch", VolumeRequest.Type.CSI, "scratch")
            .accessMode("single-node-writer")
            .attachment("filesystem")
            .created(wish)
            .build();
    VolumeSpec asked =
        wish.copy().use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM).build();

    assertThat(request.created()).contains(asked);
    assertThat(asked.ephemeral()).isFalse();
    assertThat(request.toBuilder().build()).isEqualTo(request);
    assertThat(request).isNotEqualTo(request.toBuilder().created(wish.ephemeral(true)).build());
    assertThat(request.created()).contains(asked);
    assertThat(request.toBuilder().attachment("block").created(plain()).build().created())
        .contains(plain().use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.BLOCK).build());
    assertThat(request.toString())
        .contains("created as VolumeSpec[plugin=ebs, ", "parameters=[tier]", "snap-1")
        .doesNotContain("s3cr3t");
  }

  @Test
  void aVolumeForTheJobMayAlsoBeUsedInOtherWays() {
    VolumeSpec.Builder wider =
        plain().use(AccessMode.MULTI_NODE_READER_ONLY, AttachmentMode.FILESYSTEM);
    assertThat(csi().created(wider).build().created().orElseThrow().capabilities())
        .containsExactly(
            VolumeCapability.mount(AccessMode.MULTI_NODE_READER_ONLY),
            VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER));
  }

  private static VolumeSpec.Builder plain() {
    return VolumeSpec.builder(PluginId.of("ebs"));
  }

  @Test
  void aDirectoryOfTheHostIsNotCreated() {
    assertThat(
            VolumeRequest.builder("logs", VolumeRequest.Type.HOST, "var-log")
                .created(plain())
                .violations())
        .extracting(Object::toString)
        .containsExactly("created is given for a host volume, which already exists: leave it out");
  }

  // ---- words

  @Test
  @Tag("S-47")
  void aMountPropagatesInOneOfThreeWays() {
    assertThat(Propagation.values())
        .extracting(each -> PropagationWords.of(each) + " " + each.kernelWord())
        .containsExactly("private rprivate", "host-to-task rslave", "bidirectional rshared");
    for (Propagation each : Propagation.values()) {
      assertThat(PropagationWords.parse(PropagationWords.of(each))).isEqualTo(each);
    }
    assertThat(PropagationWords.parse("")).isEqualTo(Propagation.PRIVATE);
  }

  @ParameterizedTest
  @Tag("S-47")
  @ValueSource(
      strings = {
        "Private",
        "rprivate",
        "rslave",
        "rshared",
        "shared",
        "host-to-container",
        "Bidirectional",
        " private",
        "none"
      })
  void anyOtherWordForItIsRefused(String word) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PropagationWords.parse(word))
        .withMessage(
            "A mount propagates 'private', 'host-to-task' or 'bidirectional'; the given value is "
                + "none of them.");
  }

  @Test
  void theOtherWordsAreFew() {
    assertThat(VolumeRequest.Type.parse("csi")).isEqualTo(VolumeRequest.Type.CSI);
    assertThat(VolumeRequest.Type.parse("host")).isEqualTo(VolumeRequest.Type.HOST);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VolumeRequest.Type.parse("CSI"))
        .withMessage("A volume is 'csi' or 'host'; the given value is neither.");
    assertThat(AttachmentMode.parse("file-system")).isEqualTo(AttachmentMode.FILESYSTEM);
    assertThat(AttachmentMode.parse("block-device")).isEqualTo(AttachmentMode.BLOCK);
    assertThat(SelinuxRelabel.parse("z")).isEqualTo(SelinuxRelabel.SHARED);
    assertThat(SelinuxRelabel.parse("Z")).isEqualTo(SelinuxRelabel.PRIVATE);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SelinuxRelabel.parse("zZ"))
        .withMessage(
            "Files are labelled with 'z' for all tasks or 'Z' for one; the given value is "
                + "neither.");
  }
}
