package io.csi4j.volume.claim.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.model.Pem;
import io.csi4j.volume.model.TlsSettings;
import io.etcd.jetcd.Client;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JetcdLineTest {

  private static final Duration PATIENCE = Duration.ofMillis(250);

  /** The certificate of an authority that signs nothing. */
  private static final String AUTHORITY =
      """
      -----BEGIN CERTIFICATE-----
      MIIBcTCCARegAwIBAgIUXc0hoamxEz5n98vFh9R7xvTkVvswCgYIKoZIzj0EAwIw
      DTELMAkGA1UEAwwCY2EwIBcNMjYxMTI3MDgzODIxWhgPMjEyNjExMDMwODM4MjFa
      MA0xCzAJBgNVBAMMAmNhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEXDDYFJGy
      zFvxJ5DxfF2bVqaVM7vOfIarFXSCAJffN+qXni0UqaSpIO3Hbkzq9ChzHARm2Aw/
      l2M5+S8kOj53XKNTMFEwHQYDVR0OBBYEFMrsLuRG3AJQRREGL1p6e+Vt+VV5MB8G
      A1UdIwQYMBaAFMrsLuRG3AJQRREGL1p6e+Vt+VV5MA8GA1UdEwEB/wQFMAMBAf8w
      CgYIKoZIzj0EAwIDSAAwRQIhAN5RvViN7SqU4YxUZ01bzOGIxEo+hUJO9Own/mmO
      YvkJAiB/TrQgQ6Icb8xdgZqd+hzVRR3ZsOd1tgCyiU+8yaEKQg==
      -----END CERTIFICATE-----
      """;

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

  @Test
  void aClientThatCannotBeReplacedIsKept(@TempDir Path directory) throws IOException {
    Path certificates = Files.writeString(directory.resolve("ca.pem"), AUTHORITY);
    EtcdSettings encrypted =
        EtcdSettings.of(URI.create("https://127.0.0.1:1")).toBuilder()
            .tls(TlsSettings.trusting(Pem.file(certificates)))
            .build();
    try (JetcdLine trusting = new JetcdLine(encrypted, time)) {
      Client first = trusting.client().orElseThrow();
      Files.delete(certificates);
      time.pass(PATIENCE);
      trusting.failed(first);
      assertThat(trusting.client()).as("the file is missing").containsSame(first);

      Files.writeString(certificates, "-----BEGIN");
      time.pass(PATIENCE);
      trusting.failed(first);
      assertThat(trusting.client()).as("the file is half written").containsSame(first);

      Files.writeString(certificates, AUTHORITY);
      time.pass(PATIENCE);
      trusting.failed(first);
      assertThat(trusting.client().orElseThrow()).isNotSameAs(first);
    }
  }
}
