package io.csi4j.volume.workload;

import static io.csi4j.volume.workload.Wishes.DATA;
import static io.csi4j.volume.workload.Wishes.DB;
import static io.csi4j.volume.workload.Wishes.PLUGIN;
import static io.csi4j.volume.workload.Wishes.VAR_LOG;
import static io.csi4j.volume.workload.Wishes.WEB;
import static io.csi4j.volume.workload.Wishes.at;
import static io.csi4j.volume.workload.Wishes.csi;
import static io.csi4j.volume.workload.Wishes.data;
import static io.csi4j.volume.workload.Wishes.database;
import static io.csi4j.volume.workload.Wishes.facts;
import static io.csi4j.volume.workload.Wishes.health;
import static io.csi4j.volume.workload.Wishes.in;
import static io.csi4j.volume.workload.Wishes.logs;
import static io.csi4j.volume.workload.Wishes.place;
import static io.csi4j.volume.workload.Wishes.plugin;
import static io.csi4j.volume.workload.Wishes.ready;
import static io.csi4j.volume.workload.Wishes.volume;
import static io.csi4j.volume.workload.Wishes.volumes;
import static io.csi4j.volume.workload.Wishes.withoutVolumes;
import static io.csi4j.volume.workload.Wishes.workload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What stands in the way of a workload, and in which words it is told. */
class PreflightTest {

  private static final String ABOUT_DATA =
      "checking the request 'data' for volume 'vol-7' (default/db for workload 'web-1') of plugin"
          + " 'ebs'";

  private static WorkloadVolumes plain() {
    return workload(DB).volume(data().build()).build();
  }

  private static Preflight.Report on(RegisteredPlugin plugin, WorkloadVolumes wanted) {
    return Preflight.of(List.of(plugin), List.of()).check(wanted);
  }

  private static Preflight.Report anywhere(WorkloadVolumes wanted) {
    return Preflight.anywhere().check(wanted);
  }

  /** The findings, each as code, what it is about, and what was seen. */
  private static List<String> told(Preflight.Report report) {
    return report.obstacles().stream().map(PreflightTest::told).toList();
  }

  private static String told(OperatorMessage message) {
    return message.code() + ": " + message.doing() + ": " + message.seen();
  }

  @Test
  void whatIsClearSaysSo() {
    Preflight.Report clear =
        Preflight.of(List.of(plugin(facts(5))), volumes(3))
            .check(
                workload(DB, VAR_LOG)
                    .volume(data().build())
                    .volume(logs().build())
                    .task(in("containers"), at("/data").build())
                    .build());

    assertThat(clear).isEqualTo(new Preflight.Report(List.of(), List.of()));
    assertThat(clear.isClear()).isTrue();
    assertThat(clear.text()).isEmpty();
    clear.orThrow();
  }

  @Test
  void allFindingsComeAtOnceInTheSameOrderWithTheirAdvice() {
    WorkloadVolumes wanted =
        workload(csi(DB.volume().toBuilder().topologies(List.of(place("zone", "b")))))
            .volume(data().build())
            .volume(logs().build())
            .task(
                withoutVolumes("raw"),
                at("/a").build(),
                at("/a").readOnly(true).propagation("bidirectional").build(),
                VolumeMount.builder("cache").destination("/c").build())
            .task(TaskRuntime.of(TaskName.of("job"), "containers"))
            .build();
    Preflight preflight =
        Preflight.of(
            List.of(
                plugin(in(place("zone", "a")), PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS)),
            List.of());

    Preflight.Report report = preflight.check(wanted);

    assertThat(report.text())
        .isEqualTo(
            """
            CSI-531 RUNTIME_CANNOT_MOUNT: checking task 'web' of workload 'web-1': its runtime \
            'raw' cannot take CSI volumes, but the task requests 'data'; nothing was begun. \
            Use another runtime, or no volume.
            CSI-533 TOPOLOGY_MISMATCH: %s: it can be reached from {zone=b}, and this node is in \
            {zone=a}; nothing was begun. Run the workload in one of the named places.
            CSI-537 SOURCE_UNKNOWN: checking the request 'logs' of workload 'web-1': the host knows \
            no host volume 'var-log'; nothing was begun. Create or register the \
            volume, or correct the source.
            CSI-534 MOUNT_MISSING: checking task 'web' of workload 'web-1': it refers to 'cache', \
            but the workload requests no such volume; the task was not started. Mount the \
            volume first, or correct the name.
            CSI-535 DESTINATION_CONFLICT: checking task 'web' of workload 'web-1' at /a: volume \
            'data' would be mounted there in two ways; the task did not get them. Give each \
            mount its own destination.
            CSI-532 PROPAGATION_REFUSED: checking volume 'data' for task 'web' of workload 'web-1' \
            at /a: propagation 'bidirectional' needs a read-write volume, but the task wants \
            only to read it; the task did not get the volume. Use host-to-task or private, \
            or get the host's permission for read-write.
            """
                .formatted(ABOUT_DATA));
    assertThat(preflight.check(wanted)).isEqualTo(report);
    assertThat(report.isClear()).isFalse();
    VolumeException thrown = catchThrowableOfType(VolumeException.class, report::orThrow);
    assertThat(thrown.code()).isEqualTo(OperatorCode.RUNTIME_CANNOT_MOUNT);
    assertThat(thrown.outcome()).isEqualTo(VolumeException.Outcome.REFUSED);
    assertThat(thrown.getSuppressed())
        .extracting(each -> ((VolumeException) each).code())
        .containsExactly(
            OperatorCode.TOPOLOGY_MISMATCH,
            OperatorCode.SOURCE_UNKNOWN,
            OperatorCode.MOUNT_MISSING,
            OperatorCode.DESTINATION_CONFLICT,
            OperatorCode.PROPAGATION_REFUSED);
  }

  // ---- runtimes

  @Test
  @Tag("S-02")
  void aGroupOfWhichNoTaskCanMountIsRefusedEvenIfNoneWantsTo() {
    assertThat(
            told(
                anywhere(
                    workload(DB, VAR_LOG)
                        .volume(data().build())
                        .volume(logs().build())
                        .task(withoutVolumes("raw"), at("/data").build())
                        .task(TaskRuntime.withoutVolumes(TaskName.of("job"), "jail"))
                        .build())))
        .containsExactly(
            "RUNTIME_CANNOT_MOUNT: checking workload 'web-1': it requests CSI"
                + " volumes, but none of its tasks can use them: 'web' runs in 'raw',"
                + " 'job' runs in 'jail'",
            "RUNTIME_CANNOT_MOUNT: checking workload 'web-1': it requests host"
                + " volumes, but none of its tasks can use them: 'web' runs in 'raw',"
                + " 'job' runs in 'jail'");
  }

  @Test
  @Tag("S-02")
  void aTaskThatCannotMountIsNoMatterIfItMountsNothingAndAnotherCan() {
    assertThat(
            anywhere(
                    workload(DB)
                        .volume(data().build())
                        .task(withoutVolumes("raw"))
                        .task(TaskRuntime.of(TaskName.of("job"), "containers"), at("/data").build())
                        .build())
                .isClear())
        .isTrue();
  }

  @Test
  @Tag("S-02")
  void csiAndHostVolumesAreCheckedEachForThemselves() {
    TaskRuntime onlyHost =
        new TaskRuntime() {
          @Override
          public TaskName task() {
            return WEB;
          }

          @Override
          public String runtime() {
            return "chroot";
          }

          @Override
          public boolean takes(VolumeRequest.Type type) {
            return type == VolumeRequest.Type.HOST;
          }
        };
    assertThat(
            told(
                anywhere(
                    workload(DB, VAR_LOG)
                        .volume(logs().build())
                        .volume(data().build())
                        .task(
                            onlyHost,
                            at("/data").build(),
                            VolumeMount.builder("logs").destination("/log").build())
                        .build())))
        .containsExactly(
            "RUNTIME_CANNOT_MOUNT: checking workload 'web-1': it requests CSI"
                + " volumes, but none of its tasks can use them: 'web' runs in 'chroot'");
  }

  @Test
  @Tag("S-01")
  @Tag("S-03")
  void aRuntimeThatDoesNotSayCanTakeAll() {
    TaskRuntime silent =
        new TaskRuntime() {
          @Override
          public TaskName task() {
            return WEB;
          }

          @Override
          public String runtime() {
            return "old";
          }
        };
    assertThat(
            anywhere(workload(DB).volume(data().build()).task(silent, at("/data").build()).build())
                .isClear())
        .isTrue();
  }

  @Test
  @Tag("S-02")
  void aRuntimeThatCannotBeReadIsAnErrorOfItsOwn() {
    TaskRuntime broken =
        new TaskRuntime() {
          @Override
          public TaskName task() {
            return WEB;
          }

          @Override
          public String runtime() {
            return "remote";
          }

          @Override
          public boolean takes(VolumeRequest.Type type) {
            throw new IllegalStateException("its socket\nis gone");
          }
        };
    assertThat(anywhere(workload(DB).volume(data().build()).task(broken).build()).text())
        .isEqualTo(
            "CSI-536 RUNTIME_UNREADABLE: checking task 'web' of workload 'web-1': its runtime"
                + " 'remote' could not be asked about CSI volumes: java.lang.IllegalStateException:"
                + " its socket\\n"
                + "is gone; nothing was begun. Fix the runtime or its query, then retry.\n");
  }

  @Test
  void aWorkloadWithoutVolumesAsksNoRuntime() {
    assertThat(anywhere(workload().task(withoutVolumes("raw")).build()).isClear()).isTrue();
  }

  // ---- plugins

  @Test
  void aPluginThatIsNotThereIsNamedWithThoseThatAre() {
    WorkloadVolumes other = workload(DB).volume(data().build()).build();
    assertThat(told(Preflight.of(List.of(), List.of()).check(other)))
        .containsExactly(
            "PLUGIN_NOT_REGISTERED: "
                + ABOUT_DATA
                + ": no plugin is registered with the role NODE on this node");
    WorkloadVolumes nfs =
        workload(csi(volume("db", PluginId.of("nfs"), "vol-7"))).volume(data().build()).build();
    assertThat(told(on(plugin(ready()), nfs)))
        .containsExactly(
            "PLUGIN_NOT_REGISTERED: "
                + ABOUT_DATA.replace("'ebs'", "'nfs'")
                + ": registered with the role NODE on this node are: 'ebs'");
  }

  @ParameterizedTest
  @CsvSource({
    "STARTING, NO_SOCKET, PLUGIN_NOT_READY, has not been ready since",
    "STARTING, NOT_READY, PLUGIN_NOT_READY, has not been ready since",
    "UNHEALTHY, SILENT, PLUGIN_UNHEALTHY, is unhealthy since",
    "GONE, STOPPED, PLUGIN_NOT_UP, is gone since",
  })
  void aPluginThatCannotServeIsToldWithItsReason(
      State state, Reason reason, OperatorCode code, String words) {
    assertThat(told(on(plugin(health(state, reason, "it sleeps")), plain())))
        .containsExactly(
            code
                + ": "
                + ABOUT_DATA
                + ": instance 'only' "
                + words
                + " 2026-01-02T12:00:00Z: it sleeps");
  }

  @Test
  void aPluginThatNobodyLooksAfterIsNotInTheWay() {
    assertThat(on(plugin(health(State.STARTING, Reason.NOT_ASKED, "nobody asked")), plain()))
        .isEqualTo(new Preflight.Report(List.of(), List.of()));
  }

  @Test
  void aPluginThatIsOnlyRememberedIsNotThere() {
    RegisteredPlugin known = plugin(ready());
    assertThat(
            told(
                on(
                    new RegisteredPlugin(
                        known.registration(), known.health(), known.fingerprint(), true),
                    plain())))
        .containsExactly(
            "PLUGIN_NOT_REGISTERED: "
                + ABOUT_DATA
                + ": instance 'only' is known from an earlier run, but was not registered with the"
                + " role NODE since this start");
  }

  // ---- capabilities and access modes

  @ParameterizedTest
  @EnumSource(
      value = AccessMode.class,
      names = {"SINGLE_NODE_SINGLE_WRITER", "SINGLE_NODE_MULTI_WRITER"})
  void anAccessModeThatThePluginDoesNotKnowIsNoObstacleAsAnotherIsSent(AccessMode mode) {
    WorkloadVolumes wanted = workload(DB).volume(data().accessMode(mode).build()).build();

    assertThat(on(plugin(facts(0)), wanted).isClear()).isTrue();
    assertThat(on(plugin(facts(0, NodeCapability.SINGLE_NODE_MULTI_WRITER)), wanted).isClear())
        .isTrue();
  }

  @Test
  void aGroupForTheFilesNeedsAPluginThatGivesThem() {
    WorkloadVolumes wanted =
        workload(
                csi(
                    database(
                        DB.volume().spec().toBuilder()
                            .mountOptions(MountOptions.none().withVolumeMountGroup("1000")))))
            .volume(data().build())
            .build();

    assertThat(told(on(plugin(facts(0)), wanted)))
        .containsExactly(
            "NOT_OFFERED: "
                + ABOUT_DATA
                + ": the group '1000' for its files needs VOLUME_MOUNT_GROUP, which the plugin does"
                + " not offer");
    assertThat(on(plugin(facts(0, NodeCapability.VOLUME_MOUNT_GROUP)), wanted).isClear()).isTrue();
  }

  @Test
  void aVolumeIsUsedInOneOfTheWaysThatItAllows() {
    WorkloadVolumes wanted =
        workload(
                csi(
                    database(
                        VolumeSpec.builder(PLUGIN)
                            .use(VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER))
                            .use(VolumeCapability.mount(AccessMode.MULTI_NODE_READER_ONLY)))))
            .volume(data().build())
            .build();

    assertThat(told(anywhere(wanted)))
        .containsExactly(
            "NOT_ALLOWED_HERE: "
                + ABOUT_DATA
                + ": it is requested as filesystem with SINGLE_NODE_WRITER, but may be used as "
                + "block"
                + " with SINGLE_NODE_WRITER or filesystem with MULTI_NODE_READER_ONLY");
    assertThat(told(on(plugin(facts(0)), wanted))).isEqualTo(told(anywhere(wanted)));
    assertThat(
            anywhere(
                    workload(
                            csi(
                                database(
                                    VolumeSpec.builder(PLUGIN)
                                        .use(
                                            VolumeCapability.mount(
                                                AccessMode.SINGLE_NODE_WRITER,
                                                MountOptions.none().withFsType("ext4"))))))
                        .volume(data().build())
                        .build())
                .isClear())
        .isTrue();
  }

  @Test
  void aHostVolumeThatIsOnlyReadIsNotGivenToAWriter() {
    ResolvedVolume.Host readOnly =
        ResolvedVolume.host(VolumeKey.of("var-log"), MountPath.of("/srv/log"), true);

    assertThat(told(anywhere(workload(readOnly).volume(logs().build()).build())))
        .containsExactly(
            "NOT_ALLOWED_HERE: checking the request 'logs' for volume default/var-log for workload"
                + " 'web-1': the host offers this volume for reading only");
    assertThat(anywhere(workload(readOnly).volume(logs().readOnly(true).build()).build()).isClear())
        .isTrue();
  }

  // ---- places and numbers

  @ParameterizedTest
  @Tag("S-210")
  @CsvSource({
    "true, zone=a, zone=a",
    "true, zone=a;rack=3, zone=a",
    "true, Zone=a, zone=a",
    "false, zone=a, zone=a;rack=3",
    "false, zone=A, zone=a",
    "false, rack=3, zone=a",
  })
  void aNodeHasToBeInAPlaceFromWhichTheVolumeCanBeReached(
      boolean isClear, String node, String volume) {
    WorkloadVolumes wanted =
        workload(
                csi(
                    DB.volume().toBuilder()
                        .topologies(List.of(place("region", "moon"), labels(volume)))))
            .volume(data().build())
            .build();
    RegisteredPlugin plugin =
        plugin(in(labels(node)), PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS);

    assertThat(on(plugin, wanted).isClear()).isEqualTo(isClear);
    assertThat(on(plugin(in(labels(node))), wanted).isClear())
        .as("by a plugin that knows no places")
        .isTrue();
  }

  private static Topology labels(String text) {
    return place(text.split("[=;]", -1));
  }

  @Test
  @Tag("S-210")
  void aNodeWithoutAPlaceTakesOnlyWhatCanBeReachedFromAnywhere() {
    RegisteredPlugin plugin = plugin(facts(0), PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS);

    assertThat(on(plugin, plain()).isClear()).isTrue();
    assertThat(
            told(
                on(
                    plugin,
                    workload(
                            csi(
                                DB.volume().toBuilder()
                                    .topologies(List.of(place("zone", "a"), place("zone", "b")))))
                        .volume(data().build())
                        .build())))
        .containsExactly(
            "TOPOLOGY_MISMATCH: "
                + ABOUT_DATA
                + ": it can be reached from {zone=a} or {zone=b}, and the plugin reports no"
                + " topology for this node");
  }

  @ParameterizedTest
  @Tag("S-210")
  @CsvSource({
    "0, 100, true",
    "3, 2, true",
    "3, 8, true",
    "3, 3, false",
    "3, 7, false",
    "7, 7, false"
  })
  void aNodeTakesNoMoreVolumesThanThePluginSaid(long limit, int there, boolean isClear) {
    Preflight.Report report =
        Preflight.of(List.of(plugin(facts(limit))), volumes(there)).check(plain());

    assertThat(report.isClear()).isEqualTo(isClear);
    if (!isClear) {
      assertThat(told(report))
          .containsExactly(
              "NODE_VOLUME_LIMIT: checking workload 'web-1' with plugin 'ebs': the plugin takes "
                  + limit
                  + " volumes on this node and has "
                  + there
                  + ", including uncertain ones; the workload needs 1 more");
    }
  }

  @Test
  @Tag("S-210")
  void aVolumeThatIsThereAlreadyNeedsNoFurtherRoomAndTwoNamesForOneNeedOne() {
    ResolvedVolume.Csi again = csi(volume("db-2", PLUGIN, "vol-7"));
    WorkloadVolumes wanted =
        workload(DB, again)
            .volume(data().accessMode(AccessMode.MULTI_NODE_MULTI_WRITER).build())
            .volume(
                VolumeRequest.builder("more", VolumeRequest.Type.CSI, "db-2")
                    .accessMode(AccessMode.MULTI_NODE_MULTI_WRITER)
                    .attachment(AttachmentMode.FILESYSTEM)
                    .build())
            .build();
    List<RegisteredPlugin> plugins = List.of(plugin(facts(8)));

    assertThat(Preflight.of(plugins, volumes(7)).check(wanted).isClear()).isTrue();
    assertThat(Preflight.of(plugins, volumes(8)).check(wanted).isClear()).isTrue();
    assertThat(Preflight.of(List.of(plugin(facts(7))), volumes(7)).check(wanted).isClear())
        .isFalse();
  }

  // ---- one workload against itself

  @Test
  void twoRequestsForOneVolumeHaveToAgree() {
    WorkloadVolumes wanted =
        workload(DB)
            .volume(data().build())
            .volume(
                VolumeRequest.builder("more", VolumeRequest.Type.CSI, "db")
                    .accessMode(AccessMode.SINGLE_NODE_WRITER)
                    .attachment(AttachmentMode.BLOCK)
                    .readOnly(true)
                    .build())
            .build();

    assertThat(anywhere(wanted).text())
        .isEqualTo(
            "CSI-501 OPTIONS_DIFFER: "
                + ABOUT_DATA.replace("'data'", "'more'")
                + ": request 'data' is for the same volume; these differ: access type (it has"
                + " filesystem, this request block), read-only (it has false, this request true);"
                + " present uses stay. Request it once, and let each task's mount say whether it "
                + "is read-only.\n");
  }

  @Test
  void twoRequestsForOneVolumeGiveItsFilesToOneOwner() {
    FileOwnership user = FileOwnership.builder().user(1000).build();
    VolumeRequest more =
        VolumeRequest.builder("more", VolumeRequest.Type.CSI, "db")
            .accessMode(AccessMode.SINGLE_NODE_WRITER)
            .attachment(AttachmentMode.FILESYSTEM)
            .ownership(user)
            .build();

    for (FileOwnership differing :
        List.of(FileOwnership.builder().user(1001).build(), FileOwnership.ofGroup(2000))) {
      WorkloadVolumes wanted =
          workload(DB).volume(data().ownership(differing).build()).volume(more).build();
      assertThat(anywhere(wanted).text())
          .contains(
              "CSI-501 OPTIONS_DIFFER: " + ABOUT_DATA.replace("'data'", "'more'"),
              ": request 'data' is for the same volume; these differ: ownership;");
    }
    for (VolumeRequest agreeing : List.of(data().ownership(user).build(), data().build())) {
      assertThat(anywhere(workload(DB).volume(agreeing).volume(more).build()).obstacles())
          .isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "SINGLE_NODE_WRITER, false",
    "SINGLE_NODE_MULTI_WRITER, true",
    "MULTI_NODE_MULTI_WRITER, true"
  })
  void oneVolumeUnderTwoNamesNeedsAModeWithRoomForTwo(AccessMode mode, boolean isClear) {
    ResolvedVolume.Csi again = csi(volume("db-2", PLUGIN, "vol-7"));
    WorkloadVolumes wanted =
        workload(DB, again)
            .volume(data().accessMode(mode).build())
            .volume(
                VolumeRequest.builder("more", VolumeRequest.Type.CSI, "db-2")
                    .accessMode(mode)
                    .attachment(AttachmentMode.FILESYSTEM)
                    .build())
            .build();

    assertThat(told(anywhere(wanted)))
        .isEqualTo(
            isClear
                ? List.of()
                : List.of(
                    "VOLUME_IN_USE: "
                        + ABOUT_DATA.replace("'data'", "'more'").replace("/db ", "/db-2 ")
                        + ": request 'data' is for the same volume under the name default/db, and"
                        + " access mode SINGLE_NODE_WRITER admits one workload"
                        + " (SINGLE_NODE_MULTI_WRITER and MULTI_NODE_MULTI_WRITER admit several)"));
  }

  // ---- destinations

  @Test
  void twoVolumesAtOnePlaceAreNamed() {
    assertThat(
            told(
                anywhere(
                    workload(DB, VAR_LOG)
                        .volume(data().build())
                        .volume(logs().build())
                        .task(
                            in("containers"),
                            at("/data").build(),
                            VolumeMount.builder("logs").destination("/data/").build(),
                            at("/data").build())
                        .build())))
        .containsExactly(
            "DESTINATION_CONFLICT: checking task 'web' of workload 'web-1' at"
                + " /data: volumes 'data' and 'logs' would both be mounted there");
  }

  @Test
  void whatIsInsideOfABlockDeviceIsRefusedAndInsideOfWhatIsOnlyReadRemarkedOn() {
    Preflight.Report block =
        anywhere(
            workload(DB, VAR_LOG)
                .volume(data().attachment(AttachmentMode.BLOCK).build())
                .volume(logs().build())
                .task(
                    in("containers"),
                    at("/dev/db").build(),
                    VolumeMount.builder("logs").destination("/dev/db/log").build())
                .build());
    assertThat(told(block))
        .containsExactly(
            "DESTINATION_CONFLICT: checking task 'web' of workload 'web-1' at /dev/db/log: volume"
                + " 'logs' would be inside 'data', which is a block device at /dev/db");
    Preflight.Report nested =
        anywhere(
            workload(DB, VAR_LOG)
                .volume(data().build())
                .volume(logs().build())
                .task(
                    in("containers"),
                    VolumeMount.builder("logs").destination("/data/log").build(),
                    at("/data").readOnly(true).build())
                .build());
    assertThat(nested.isClear()).isTrue();
    assertThat(
            anywhere(
                    workload(DB, VAR_LOG)
                        .volume(data().readOnly(true).build())
                        .volume(logs().build())
                        .task(
                            in("containers"),
                            VolumeMount.builder("logs").destination("/data/log").build(),
                            at("/data").build())
                        .build())
                .remarks())
        .isEqualTo(nested.remarks());
    nested.orThrow();
    assertThat(nested.text())
        .isEqualTo(
            "CSI-538 DESTINATION_IN_READ_ONLY: checking task 'web' of workload"
                + " 'web-1' at /data/log: volume 'logs' would be inside 'data', which is"
                + " read-only, at /data; it works if the directory exists. Create the"
                + " directory first, or choose another destination.\n");
  }

  // ---- propagation

  private static WorkloadVolumes propagating(VolumeRequest request, VolumeMount mount) {
    return workload(DB, VAR_LOG).volume(request).task(in("containers"), mount).build();
  }

  private static String refusal(String volume, String place, String why) {
    return "PROPAGATION_REFUSED: checking volume '"
        + volume
        + "' for task 'web' of workload 'web-1' at "
        + place
        + ": "
        + why;
  }

  @Test
  @Tag("S-48")
  @Tag("T-11")
  void mountsReachTheHostOnlyFromAVolumeThatIsReadWriteAndIfTheHostPermitsItForItsKind() {
    VolumeMount both = at("/data").propagation("bidirectional").build();
    List<PropagationPermission.Request> asked = new ArrayList<>();
    Preflight onlyHostVolumes =
        Preflight.anywhere()
            .permitting(
                wish -> {
                  asked.add(wish);
                  return wish.volume().type() == VolumeRequest.Type.HOST;
                });

    assertThat(told(onlyHostVolumes.check(propagating(data().build(), both))))
        .containsExactly(
            refusal(
                "data",
                "/data",
                "the host does not permit propagation 'bidirectional' for this CSI volume"));
    assertThat(asked)
        .containsExactly(new PropagationPermission.Request(Wishes.WEB_1, WEB, data().build()));
    VolumeMount ofHost =
        VolumeMount.builder("logs").destination("/log").propagation("bidirectional").build();
    assertThat(onlyHostVolumes.check(propagating(logs().build(), ofHost)).isClear()).isTrue();
    assertThat(told(anywhere(propagating(logs().build(), ofHost))))
        .containsExactly(
            refusal(
                "logs",
                "/log",
                "the host does not permit propagation 'bidirectional' for this host volume"));
    asked.clear();
    assertThat(told(onlyHostVolumes.check(propagating(data().readOnly(true).build(), both))))
        .containsExactly(
            refusal(
                "data",
                "/data",
                "propagation 'bidirectional' needs a read-write volume, but the workload"
                    + " wants only to read it"));
    assertThat(asked).as("who may not is not asked for").isEmpty();
  }

  @Test
  @Tag("S-48")
  void aDecisionThatFailsIsARefusal() {
    PropagationPermission failing =
        wish -> {
          throw new IllegalStateException("no policy");
        };
    assertThat(
            told(
                Preflight.anywhere()
                    .permitting(failing)
                    .check(
                        propagating(
                            data().build(), at("/data").propagation("bidirectional").build()))))
        .containsExactly(
            refusal(
                "data",
                "/data",
                "the host could not decide whether it permits propagation 'bidirectional':"
                    + " java.lang.IllegalStateException: no policy"));
  }

  @Test
  void whatTheHostMountsMayReachATaskUnlessItsVolumeIsADevice() {
    VolumeMount slave = at("/data").propagation("host-to-task").build();
    assertThat(anywhere(propagating(data().readOnly(true).build(), slave)).isClear()).isTrue();
    assertThat(told(anywhere(propagating(data().attachment(AttachmentMode.BLOCK).build(), slave))))
        .containsExactly(
            refusal(
                "data",
                "/data",
                "propagation 'host-to-task' is requested for a block device, which has no mounts "
                    + "below it"));
    assertThat(DATA).hasToString("data");
  }

  // ---- claims

  @Test
  void theClaimsOfTheClusterAreAskedForEachVolumeThatIsMounted() {
    List<MountRequest> asked = new ArrayList<>();
    OperatorMessage held =
        Messages.of(OperatorCode.CLAIM_HELD_BY, Subject.of("claiming"), "'batch' holds it on n2");

    Preflight.Report report =
        Preflight.anywhere()
            .asking(
                request -> {
                  asked.add(request);
                  return Optional.of(held);
                })
            .permitting(PropagationPermission.nobody())
            .check(
                Wishes.workload(Wishes.DB, Wishes.VAR_LOG)
                    .volume(Wishes.data().build())
                    .volume(Wishes.logs().build())
                    .build());

    assertThat(report.obstacles()).containsExactly(held);
    assertThat(asked)
        .singleElement()
        .satisfies(
            request ->
                assertThat(request.usage()).isEqualTo(VolumeUse.of(Wishes.DB.key(), Wishes.WEB_1)));
  }

  // ---- created for the job

  private static WorkloadVolumes toBeCreated(VolumeSpec.Builder... more) {
    WorkloadVolumes.Builder wanted = workload();
    wanted.volume(data().created(VolumeSpec.builder(PLUGIN)).build());
    for (VolumeSpec.Builder each : more) {
      wanted.volume(
          VolumeRequest.builder("more", VolumeRequest.Type.CSI, "more")
              .accessMode(AccessMode.SINGLE_NODE_WRITER)
              .attachment(AttachmentMode.FILESYSTEM)
              .created(each)
              .build());
    }
    return wanted.build();
  }

  @Test
  void aVolumeThatIsCreatedForTheJobNeedNotBeThereButItsPluginHasTo() {
    assertThat(Preflight.anywhere().check(toBeCreated()).isClear()).isTrue();
    assertThat(on(plugin(ready()), toBeCreated()).isClear()).isTrue();
    assertThat(Preflight.of(List.of(), List.of()).check(toBeCreated()).obstacles())
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.PLUGIN_NOT_REGISTERED);
  }

  @Test
  void aVolumeThatIsCreatedForTheJobIsWantedWhereTheNodeIs() {
    WorkloadVolumes inB =
        workload()
            .volume(
                data()
                    .created(
                        VolumeSpec.builder(PLUGIN)
                            .topologies(TopologyRequirement.anyOf(Set.of(place("zone", "b")))))
                    .build())
            .build();
    RegisteredPlugin here =
        plugin(in(place("zone", "a")), PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS);
    RegisteredPlugin there =
        plugin(in(place("zone", "b")), PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS);

    assertThat(on(there, inB).isClear()).isTrue();
    assertThat(told(on(here, inB)))
        .containsExactly(
            "TOPOLOGY_MISMATCH: checking the request 'data' of workload 'web-1': it must be"
                + " reachable from {zone=b}, and this node is in {zone=a}");
    assertThat(on(plugin(in(place("zone", "a"))), inB).isClear())
        .as("a plugin without places")
        .isTrue();
  }

  @Test
  void volumesThatAreCreatedForTheJobCountForTheLimitOfTheNode() {
    WorkloadVolumes two = toBeCreated(VolumeSpec.builder(PLUGIN));
    assertThat(Preflight.of(List.of(plugin(facts(4))), volumes(2)).check(two).isClear()).isTrue();
    assertThat(Preflight.of(List.of(plugin(facts(4))), volumes(3)).check(two).obstacles())
        .extracting(OperatorMessage::code)
        .containsExactly(OperatorCode.NODE_VOLUME_LIMIT);
  }
}
