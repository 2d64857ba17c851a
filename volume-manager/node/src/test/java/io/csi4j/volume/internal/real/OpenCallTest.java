package io.csi4j.volume.internal.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.internal.text.CapturedLog;
import io.csi4j.volume.model.WorkContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("Reads the log of the modules.")
class OpenCallTest {

  @Test
  void anAnswerThatComesWhenNobodyWorksAnyMoreIsNoErrorAndAnotherFailureIs() {
    assertThat(logged(new RejectedExecutionException("closed"))).isEmpty();
    assertThat(logged(new IllegalStateException("broken")))
        .containsExactly("An answer of a plugin could not be handled. Report this.");
  }

  /** What is logged when the one who takes the answer throws this. */
  private static List<String> logged(RuntimeException thrown) {
    List<CsiNodePlugin.OpenCall> over = new ArrayList<>();
    try (CapturedLog log = CapturedLog.ofVolumes()) {
      CsiNodePlugin.OpenCall call =
          new CsiNodePlugin.OpenCall(
              new NodeCall.Unstage(VolumeId.of("vol-1"), MountPath.of("/s")),
              WorkContext.none(),
              "",
              0,
              answer -> {
                throw thrown;
              },
              over::add);
      call.refuse(Answer.ok());
      assertThat(over).containsExactly(call);
      return log.messages(Level.SEVERE);
    }
  }
}
