package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.model.Propagation;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.workload.PropagationPermission;
import io.csi4j.volume.workload.TaskMounts;
import io.csi4j.volume.workload.TaskName;
import io.csi4j.volume.workload.VolumeMount;
import io.csi4j.volume.workload.VolumeRequest;
import io.csi4j.volume.workload.WorkloadVolumes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds docs/workloads.md to what really compiles, runs and is said. */
class WorkloadsPageTest {

  private static final Page PAGE = Page.of("docs/workloads.md", "WorkloadSnippets.java");
  private static final PluginId PLUGIN = PluginId.of("fake");
  private static final TaskName TASK = TaskName.of("web");
  private static final Pattern WORD = Pattern.compile("(?m)^\\| `([a-z-]+)` \\| `(\\w+)` \\|");

  @TempDir Path directory;
  private final List<String> told = new ArrayList<>();

  @Test
  void theTableOfPropagationHasAllWordsAndThoseOfTheKernel() throws IOException {
    String page = Files.readString(PAGE.file());
    Map<String, String> words = new LinkedHashMap<>();
    WORD.matcher(page).results().forEach(row -> words.put(row.group(1), row.group(2)));
    assertThat(words.values())
        .containsExactlyElementsOf(
            Arrays.stream(Propagation.values()).map(Propagation::kernelWord).toList());
    words.forEach(
        (word, kernel) ->
            assertThat(VolumeMount.builder("data").destination("/data").propagation(word).build())
                .extracting(mount -> mount.propagation().kernelWord())
                .isEqualTo(kernel));
  }

  @Test
  void theWorkloadIsHandedWhatItAsksFor() {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open(PluginShape.noAttach());
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint());
        VolumeManager manager =
            VolumeManager.builder(directory.resolve("volumes"))
                .plugin(
                    PluginBinding.builder(PLUGIN, fake.endpoint())
                        // The plugin makes directories only, so that everybody may run this.
                        .policy(MountPolicy.builder().requireMount(false).build())
                        .build())
                .open()) {
      VolumeSpec spec =
          VolumeSpec.builder(PLUGIN)
              .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
              .build();
      Volume made =
          plugin
              .controller()
              .createVolume(
                  CreateVolumeRequest.builder("data", List.copyOf(spec.capabilities())).build());
      CatalogVolume volume =
          CatalogVolume.builder(VolumeKey.of("db"), spec, made.id())
              .context(made.context())
              .build();
      WorkloadId workload = WorkloadId.of("web-1");
      WorkloadVolumes wanted =
          WorkloadSnippets.request(
              workload,
              TASK,
              WorkloadSnippets.lookup(Map.of("db", volume), each -> SecretsProvider.none()));
      WorkloadSnippets.preflight(manager, wanted, told::add);
      PropagationPermission permission =
          WorkloadSnippets.permission(Map.of(workload, VolumeRequest.Type.CSI));

      TaskMounts mounts =
          WorkloadSnippets.handOver(
              manager,
              wanted,
              TASK,
              permission,
              new WorkloadSnippets.Container() {
                @Override
                public void bind(Path source, Path destination, List<String> options) {
                  told.add(destination + " " + options);
                }

                @Override
                public void device(Path source, Path destination, String permissions) {
                  told.add(destination + " " + permissions);
                }
              });

      assertThat(told).containsExactly("/var/lib/db [rbind, rw, rprivate]");
      assertThat(mounts.devices()).isEmpty();
      WorkloadSnippets.afterwards(manager, wanted, told::add);
      assertThat(told).hasSize(1);
      assertThat(manager.volumes()).isEmpty();
      assertThat(WorkloadSnippets.place(List.of(), List.of(), wanted)).isFalse();
    }
  }

  @Test
  void aRequestSaysWhoseTheFilesShallBe() {
    assertThat(WorkloadSnippets.ownership().ownership()).contains(FileOwnership.ofGroup(2000));
  }

  @Test
  void whatStandsInTheWayIsToldAsThePageShowsIt() throws IOException {
    try (VolumeManager manager = VolumeManager.open(directory.resolve("volumes"))) {
      WorkloadSnippets.preflight(
          manager,
          WorkloadSnippets.request(
              WorkloadId.of("web-1"),
              TASK,
              WorkloadSnippets.lookup(Map.of(), each -> SecretsProvider.none())),
          told::add);
    }
    WorkloadSnippets.wrong(told::add);
    String obstacle = told.get(0).replace("; no", ";\nno").replace(" Create", "\nCreate") + "\n";
    if (Page.regenerating()) {
      PAGE.regenerate(Map.of("obstacle", obstacle));
    }
    assertThat(PAGE.text("obstacle") + "\n").as(PAGE.stale()).isEqualTo(obstacle);
    assertThat(told).hasSize(4);
    assertThat(Files.readString(PAGE.file()).replaceAll("\\s+", " "))
        .contains('"' + told.get(3) + '"');
  }
}
