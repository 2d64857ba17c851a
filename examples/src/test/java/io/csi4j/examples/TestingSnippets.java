package io.csi4j.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.OrchestratorConformance;
import io.csi4j.conformance.OrchestratorConformanceTest;
import io.csi4j.conformance.PluginConformanceTest;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.conformance.model.OrchestratorSetting;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import io.csi4j.conformance.model.PluginUnderTest;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.TestPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.junit.FakeCsi;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.ShapePreset;
import io.csi4j.testkit.model.VirtualClock;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.testkit.proxy.CallReport;
import io.csi4j.testkit.proxy.CsiProxy;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.UnmountOutcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The code blocks of docs/testing-with-csi4j.md, each between a mark with its name and one at its
 * end.
 */
final class TestingSnippets {

  private TestingSnippets() {}

  static final VolumeId VOLUME = VolumeId.of("v1");
  private static final Map<String, String> ZONE_B = Map.of("zone", "b");

  static class Plain {
    // snippet: fifteen lines
    @Test
    void aVolumeIsMountedAndTakenAway(@TempDir Path directory) throws Exception {
      try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.noAttach());
          CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
        fake.addVolume(VOLUME);
        MyOrchestrator mine = new MyOrchestrator(plugin, directory);

        mine.mount(VOLUME);
        assertEquals(1, fake.contents().published().size());

        mine.unmount(VOLUME);
        assertTrue(fake.contents().idle());
        fake.assertLawful();
      }
    }
    // end
  }

  // snippet: junit
  @FakeCsi(shape = ShapePreset.NO_ATTACH)
  static class MountingTest {
    @Test
    void aVolumeIsMountedAndTakenAway(FakeCsiPlugin fake, CsiPlugin plugin, @TempDir Path directory)
        throws Exception {
      fake.addVolume(VOLUME);
      MyOrchestrator mine = new MyOrchestrator(plugin, directory);
      mine.mount(VOLUME);
      mine.unmount(VOLUME);
    }
  }

  // end

  // snippet: host
  @FakeCsi(shape = ShapePreset.NODE_ONLY, mounts = true)
  static class MyHostTest {
    @Test
    void aWorkloadHasItsVolume(FakeCsiPlugin fake, MemoryKernel kernel, @TempDir Path directory) {
      fake.addVolume(VOLUME);
      PluginId plugin = PluginId.of("fake.csi4j.example");
      VolumeUse usage = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-1"));
      try (VolumeManager volumes =
          VolumeManager.builder(directory.resolve("v"))
              .mounts(kernel.table(), kernel.mounts()) // where the fake mounts
              .plugin(PluginBinding.of(plugin, fake.nodeEndpoint()))
              .open()) {
        MountedVolume mounted =
            volumes.mount(
                MountRequest.builder(plugin, usage, VOLUME, AccessMode.SINGLE_NODE_WRITER).build());
        assertTrue(volumes.hasMount(usage));
        assertTrue(Files.isDirectory(mounted.path()));

        assertEquals(UnmountOutcome.LAST, volumes.unmount(usage));
      }
    }
  }

  // end

  static void faults(FakeCsiPlugin fake, VolumeId volume) {
    // snippet: faults
    // the second staging of this volume is refused
    fake.inject(
        Fault.fail(StatusCode.ABORTED, "busy"),
        When.calling(CsiOperation.NODE_STAGE_VOLUME).ofVolume(volume).nth(2));
    // once, the volume is created and the answer is lost
    fake.inject(Fault.applyThenDrop(), When.calling(CsiOperation.CREATE_VOLUME).once());
    // from now on, every call takes five seconds
    fake.inject(Fault.delay(Duration.ofSeconds(5)), When.anyCall());
    // end
  }

  static void answers(FakeCsiPlugin fake) {
    // snippet: answers
    // your own answer, by the field names of the spec; the plugin does nothing
    fake.answer(
        CsiOperation.CONTROLLER_PUBLISH_VOLUME,
        asked -> Map.of("publish_context", Map.of("device", "/dev/" + asked.text("volume_id"))));
    // the second time, one field of the plugin's answer is replaced
    fake.inject(
        Fault.change(
            (asked, answer) ->
                Map.of("volume", Map.of("accessible_topology", List.of(Topology.of(ZONE_B))))),
        When.calling(CsiOperation.CREATE_VOLUME).nth(2));
    // end
  }

  static Volume virtualTime(CreateVolumeRequest request) {
    VirtualClock clock = VirtualClock.create();
    try (FakeCsiPlugin fake = FakeCsiPlugin.builder().clock(clock).open();
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      fake.inject(Fault.delay(Duration.ofMinutes(1)), When.calling(CsiOperation.CREATE_VOLUME));
      CompletableFuture<Volume> made =
          plugin.controller().async().createVolume(request).toCompletableFuture();
      while (!made.isDone()) {
        clock.advance(Duration.ofSeconds(10)); // takes no time
      }
      return made.join();
    }
  }

  static void journal(FakeCsiPlugin fake, VolumeId volume, Consumer<String> log) {
    // snippet: journal
    for (RecordedCall call : fake.journal().calls(volume)) {
      log.accept(call.operation().rpcName() + " " + call.request().fields());
    }
    log.accept(fake.journal().describe()); // secrets are left out
    // end
  }

  static void life(FakeCsiPlugin fake) {
    // snippet: life
    fake.restart(); // at the same path, with its state
    fake.forget(); // loses its state
    fake.replaceSocket(); // puts another socket in the place of the old one
    fake.freeze(); // calls arrive and are not answered
    fake.thaw();
    fake.upgrade(PluginShape.full().vendorVersion("2.0.0"));
    // end
  }

  static void hostPath(Path volumes, Consumer<CsiEndpoint> orchestrator) {
    // snippet: host path
    try (TestPlugin plugin = HostPathPlugin.builder(volumes).open()) {
      orchestrator.accept(plugin.endpoint());
    }
    // end
  }

  static void proxy(
      CsiEndpoint plugin, Path directory, VolumeId volume, Consumer<CsiEndpoint> orchestrator) {
    // snippet: proxy
    try (CsiProxy proxy =
        CsiProxy.builder(plugin).record(directory.resolve("calls.jsonl")).newPlugin(true).open()) {
      proxy.inject(
          Fault.applyThenFail(StatusCode.UNAVAILABLE, "lost"),
          When.calling(CsiOperation.NODE_STAGE_VOLUME).ofVolume(volume).once());
      orchestrator.accept(proxy.endpoint());
      proxy.assertLawful(); // the orchestrator
      assertEquals(List.of(), proxy.findings()); // the plugin
      CallReport.of(proxy).write(directory.resolve("calls.html"));
    }
    // end
  }

  // snippet: plugin suite
  static class MyPluginTest extends PluginConformanceTest {
    @Override
    protected PluginUnderTest plugin() {
      return PluginUnderTest.builder(CsiEndpoint.parse("unix:///run/csi/csi.sock"))
          .command(List.of("my-plugin", "--endpoint", "/run/csi/csi.sock"))
          .build();
    }

    @Override
    protected boolean includes(ConformanceCase each) {
      return !each.group().equals("groups");
    }
  }

  // end

  abstract static class Suite extends OrchestratorConformanceTest {
    abstract OrchestratorUnderTest orchestrator(CsiEndpoint plugin, Path directory);

    void run() {
      // snippet: orchestrator run
      ConformanceReport report =
          OrchestratorConformance.create()
              .run(setting -> start(setting), ConformanceListener.printing(System.out::println));
      System.out.print(report.text());
      // end
    }

    // snippet: orchestrator suite
    @Override
    protected OrchestratorUnderTest start(OrchestratorSetting setting) {
      return orchestrator(setting.node(), setting.directory());
    }
    // end
  }
}
