package io.csi4j.volume.internal.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.model.WorkContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class OpenCallTest {

  private static final Logger LOGGER = Logger.getLogger("io.csi4j.volume");

  @Test
  void anAnswerThatComesWhenNobodyWorksAnyMoreIsNoErrorAndAnotherFailureIs() {
    assertThat(logged(new RejectedExecutionException("closed"))).isEmpty();
    assertThat(logged(new IllegalStateException("broken")))
        .containsExactly("An answer of a plugin could not be taken in. Report this.");
  }

  /** What is logged when the one who takes the answer throws this. */
  private static List<String> logged(RuntimeException thrown) {
    List<String> messages = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            if (entry.getLevel().equals(Level.SEVERE)) {
              messages.add(entry.getMessage());
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    LOGGER.addHandler(handler);
    LOGGER.setUseParentHandlers(false);
    List<CsiNodePlugin.OpenCall> over = new ArrayList<>();
    try {
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
      call.refuse(StatusCode.UNAVAILABLE, "the connection was closed");
      assertThat(over).containsExactly(call);
      return messages;
    } finally {
      LOGGER.removeHandler(handler);
      LOGGER.setUseParentHandlers(true);
    }
  }
}
