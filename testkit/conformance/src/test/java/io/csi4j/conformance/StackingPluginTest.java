package io.csi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.conformance.model.PluginUnderTest;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A plugin that mounts once more for each call, and says OK. */
@MountTest
class StackingPluginTest {

  private static MountPath path(PluginPath path) {
    return MountPath.of(path.toString());
  }

  /** What is mounted at targets is taken away with them, however often it was. */
  private record Unmounting(NodeEffects files, Scratch scratch) implements NodeEffects {
    @Override
    public void stage(VolumeId volume, PluginPath staging) throws IOException {
      files.stage(volume, staging);
    }

    @Override
    public void unstage(VolumeId volume, PluginPath staging) throws IOException {
      files.unstage(volume, staging);
    }

    @Override
    public void publish(Publication publication) throws IOException {
      files.publish(publication);
    }

    @Override
    public void unpublish(VolumeId volume, PluginPath target) throws IOException {
      while (scratch.rawUnmount(path(target), 0) == 0) {
        // The next one.
      }
      files.unpublish(volume, target);
    }
  }

  private static ConformanceReport run(Scratch scratch, When which) throws IOException {
    Path work = Files.createDirectory(scratch.file("work"));
    MountPath source = scratch.directory("source");
    try (FakeCsiPlugin plugin =
        FakeCsiPlugin.builder().effects(new Unmounting(NodeEffects.files(), scratch)).open()) {
      plugin.inject(
          Fault.change(
              (request, answer) -> {
                scratch.bind(source, MountPath.of(request.text("target_path")));
                return Map.of();
              }),
          which);

      return PluginConformance.run(
          PluginUnderTest.builder(plugin.endpoint()).directory(work).build(),
          ConformanceCase.named("node/publish/again-succeeds"),
          ConformanceListener.none());
    }
  }

  @Test
  void failsTheCaseThatPublishesTwice(Scratch scratch) throws IOException {
    ConformanceReport report = run(scratch, When.calling(CsiOperation.NODE_PUBLISH_VOLUME));

    assertThat(report.results(Outcome.FAILED))
        .as(report.text())
        .singleElement()
        .satisfies(
            result -> {
              assertThat(result.about().name()).isEqualTo("node/publish/again-succeeds");
              assertThat(result.story())
                  .contains("as many mounts as before the repeated call: 1", "2 mounts at");
            });
  }

  @Tag("campaign")
  @Test
  void oneThatMountsOnlyOncePasses(Scratch scratch) throws IOException {
    ConformanceReport report = run(scratch, When.calling(CsiOperation.NODE_PUBLISH_VOLUME).once());

    assertThat(report.results(Outcome.PASSED)).as(report.text()).hasSize(1);
    assertThat(report.clean()).as(report.text()).isTrue();
  }
}
