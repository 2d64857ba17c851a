package io.csi4j.volume.claim.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.volume.model.Pem;
import io.csi4j.volume.model.TlsSettings;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EtcdSettingsTest {

  private static final URI PLAIN = URI.create("http://127.0.0.1:2379");
  private static final URI ENCRYPTED = URI.create("https://etcd-1:2379");

  @Test
  void theUsualIsFiveSecondsBelowOnePrefixAsNobody() {
    EtcdSettings usual = EtcdSettings.of(PLAIN);
    assertThat(usual.endpoints()).containsExactly(PLAIN);
    assertThat(usual.prefix()).isEqualTo("/csi4j/");
    assertThat(usual.deadline()).isEqualTo(Duration.ofSeconds(5));
    assertThat(usual.login()).isEmpty();
    assertThat(usual.tls()).isEmpty();
    assertThat(usual.sealer()).isEmpty();
    assertThat(EtcdSettings.of(ENCRYPTED).tls()).contains(TlsSettings.asTheJvm());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "etcd:2379",
        "ftp://etcd:2379",
        "http://etcd",
        "http://user:secret@etcd:2379",
        "http://etcd:2379/secret",
        "http://etcd:2379?secret",
        "http://etcd:2379#secret"
      })
  void anEndpointIsAHostAndAPortAndIsNotShownIfNot(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EtcdSettings.of(URI.create(text)))
        .withMessage(
            "An endpoint of etcd is not of the form http://host:port or https://host:port. Give"
                + " nothing else; set the user and the password as the login.");
  }

  @Test
  void allAreEncryptedOrNone() {
    String message =
        "Some endpoints of etcd begin with http although TLS is set, or with https although it is"
            + " not. Use https for all endpoints and set TLS, or neither.";
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EtcdSettings.of(PLAIN, ENCRYPTED))
        .withMessage(message);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EtcdSettings.builder(PLAIN).tls(TlsSettings.asTheJvm()).build())
        .withMessage(message);
  }

  @Test
  void someEndpointIsNeededAndADeadlineThatIsOne() {
    assertThatIllegalArgumentException()
        .isThrownBy(EtcdSettings::of)
        .withMessage(
            "No endpoint of etcd is configured. Set at least one, such as http://127.0.0.1:2379.");
    for (Duration wrong : new Duration[] {Duration.ofMillis(99), Duration.ofSeconds(61)}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> EtcdSettings.builder(PLAIN).deadline(wrong).build())
          .withMessage("The deadline for etcd is " + wrong + ". Use one from 100 ms to 1 minute.");
    }
  }

  @Test
  void noTextShowsThePasswordOrAKey() {
    EtcdSettings settings =
        EtcdSettings.builder(ENCRYPTED)
            .login(EtcdLogin.of("root", "geheim".toCharArray()))
            .tls(
                TlsSettings.trusting(Pem.file(Path.of("ca.pem")))
                    .showing(
                        new TlsSettings.Certificate(
                            Pem.file(Path.of("own.pem")),
                            Pem.of("geheim".getBytes(StandardCharsets.UTF_8)))))
            .build();

    assertThat(settings.toString())
        .doesNotContain("geheim")
        .contains("user=root", "password=(password)", "ca.pem", "own.pem", "given as bytes");
  }

  @Test
  void loginsAreComparedByWhatTheyAre() {
    assertThat(login("a"))
        .isEqualTo(login("a"))
        .hasSameHashCodeAs(login("a"))
        .isNotEqualTo(login("b"))
        .isNotEqualTo(EtcdLogin.of("other", "a".toCharArray()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> login(""))
        .withMessage("The password for etcd is empty. Set the password of the user.");
  }

  @Test
  void aPrefixEndsWithASlashAndIsAName() {
    assertThat(EtcdSettings.builder(PLAIN).prefix("/blue").build().prefix()).isEqualTo("/blue/");
    assertThatIllegalArgumentException().isThrownBy(() -> EtcdSettings.builder(PLAIN).prefix(""));
  }

  private static EtcdLogin login(String password) {
    return EtcdLogin.of("root", password.toCharArray());
  }
}
