package io.csi4j.volume.claim.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.time.VirtualTime;
import io.etcd.jetcd.Client;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JetcdLineTest {

  private static final Duration PATIENCE = Duration.ofMillis(250);

  private final VirtualTime time = new VirtualTime();
  private final JetcdLine line =
      new JetcdLine(EtcdSettings.of(URI.create("http://127.0.0.1:1")), time);

  @AfterEach
  void close() {
    line.close();
  }

  private Client client() {
    return line.client().orElseThrow();
  }

  @Test
  void aClientThatWasOfNoUseForSomeTimeIsReplacedOnce() {
    Client first = client();
    time.pass(PATIENCE.minusNanos(1));
    line.failed(first);
    assertThat(client()).isSameAs(first);

    time.pass(Duration.ofNanos(1));
    line.failed(first);
    Client second = client();
    assertThat(second).isNotSameAs(first);
    time.pass(PATIENCE);
    line.failed(first);
    assertThat(client()).isSameAs(second);
  }

  @Test
  void aClientThatWorksIsKept() {
    Client first = client();
    time.pass(PATIENCE.multipliedBy(9));
    line.worked();
    line.failed(first);

    assertThat(client()).isSameAs(first);
  }

  @Test
  void anEndedLineHasNoClientAndMakesNone() {
    Client first = client();
    line.close();
    time.pass(PATIENCE);
    line.failed(first);

    assertThat(line.client()).isEmpty();
  }
}
