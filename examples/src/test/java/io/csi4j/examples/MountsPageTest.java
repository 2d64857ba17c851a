package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.UnmountResult;
import io.csi4j.testkit.mount.MemoryKernel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds docs/mounts.md to what really compiles and runs. */
class MountsPageTest {

  private static final Page PAGE = Page.of("docs/mounts.md", "MountsSnippets.java");

  @Test
  void theCommandShownStartsAProgramThatIsThere() throws IOException {
    assertThat(PAGE.text("command of mounts")).contains(ListMounts.class.getName() + " /");
  }

  @Test
  void theMountBlocksBindAndUnmount() {
    List<String> told = new ArrayList<>();
    MemoryKernel kernel = new MemoryKernel();
    MountPath volume = kernel.host().directory(MountPath.of("/volumes/one"));
    MountPath target = MountPath.of("/target");

    UnmountResult done = MountsSnippets.mounts(kernel.mounts(), volume, target, told::add);

    assertThat(told).containsExactly("bound");
    assertThat(done.step()).isEqualTo(UnmountResult.Step.PLAIN);
    assertThat(kernel.table().probe(target)).isEqualTo(new MountProbe.NotAMount());
    assertThat(MountsSnippets.mountsInMemory().isMount()).isTrue();
    assertThatThrownBy(() -> MountsSnippets.ownership(kernel.mounts(), volume, told::add))
        .hasMessage(
            "Giving the files of /volumes/one to group 2000 failed: mounts in memory have no owners."
                + " Test it with real mounts, in a mount namespace of the test.");
  }
}
