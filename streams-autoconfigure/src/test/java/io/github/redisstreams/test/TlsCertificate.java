package io.github.redisstreams.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;

/**
 * A certificate for 127.0.0.1 that signs itself, made anew with the JDK's keytool, in the
 * files that a Redis server wants.
 */
public final class TlsCertificate {

	private static final String PASSWORD = "changeit";

	private static final String ALIAS = "redis";

	private final Path certificate;

	private final Path key;

	private TlsCertificate(Path certificate, Path key) {
		this.certificate = certificate;
		this.key = key;
	}

	/**
	 * Make a certificate.
	 * @param directory where to keep its files
	 */
	public static TlsCertificate in(Path directory) {
		try {
			Path store = directory.resolve("redis.p12");
			keytool(store);
			KeyStore keys = KeyStore.getInstance("PKCS12");
			try (InputStream in = Files.newInputStream(store)) {
				keys.load(in, PASSWORD.toCharArray());
			}
			return new TlsCertificate(
					pem(directory.resolve("redis.crt"), "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded()),
					pem(directory.resolve("redis.key"), "PRIVATE KEY",
							keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void keytool(Path store) throws IOException {
		Path log = store.resolveSibling("keytool.log");
		List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-keyalg", "RSA", "-keysize", "2048", "-dname", "CN=127.0.0.1", "-ext",
				"san=ip:127.0.0.1", "-validity", "2", "-storetype", "PKCS12", "-storepass", PASSWORD, "-alias", ALIAS,
				"-keystore", store.toString());
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(log.toFile())
				.start();
			if (process.waitFor() != 0) {
				throw new IllegalStateException("keytool:\n" + Files.readString(log));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private static Path pem(Path file, String kind, byte[] content) throws IOException {
		String text = Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(content);
		return Files.writeString(file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
	}

	/**
	 * Arguments of a server that has this certificate and asks its clients for none.
	 */
	public String[] serverArguments(int port) {
		return new String[] { "--tls-port", Integer.toString(port), "--tls-cert-file", this.certificate.toString(),
				"--tls-key-file", this.key.toString(), "--tls-ca-cert-file", this.certificate.toString(),
				"--tls-auth-clients", "no" };
	}

	/**
	 * What an application configures to trust this certificate, and no other.
	 */
	public ClientOptions trusting() {
		return ClientOptions.builder()
			.sslOptions(SslOptions.builder().trustManager(this.certificate.toFile()).build())
			.build();
	}

}
