package io.github.redisstreams.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A network between client and server that can be slow, silent or broken. Listens on
 * 127.0.0.1.
 */
public final class TcpProxy implements AutoCloseable {

	private final ServerSocket listener;

	private volatile int target;

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	private final AtomicInteger accepted = new AtomicInteger();

	private volatile Duration replyDelay = Duration.ZERO;

	private volatile boolean swallowRequests;

	private volatile boolean swallowReplies;

	private volatile boolean refuse;

	private final AtomicInteger repliesUntilBreak = new AtomicInteger();

	private volatile boolean broken;

	/**
	 * Start a proxy.
	 * @param target the port to connect to
	 */
	public TcpProxy(int target) {
		this.target = target;
		try {
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		startThread(this::accept, "proxy-accept");
	}

	private static void startThread(Runnable task, String name) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

	private void accept() {
		while (!this.listener.isClosed()) {
			try {
				Socket client = this.listener.accept();
				this.accepted.incrementAndGet();
				if (this.refuse) {
					client.close();
					continue;
				}
				connect(client);
			}
			catch (IOException ex) {
				// Closed, or the client is gone already
			}
		}
	}

	private void connect(Socket client) throws IOException {
		try {
			Link link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), this.target));
			this.links.add(link);
			link.start();
		}
		catch (IOException ex) {
			client.close();
		}
	}

	/**
	 * The port to connect to.
	 */
	public int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * How many connections there have been.
	 */
	public int accepted() {
		return this.accepted.get();
	}

	/**
	 * How many connections there are.
	 */
	public int connections() {
		return this.links.size();
	}

	/**
	 * Lead new connections to another server, as an address that moves does. Those that
	 * there are live on.
	 * @param target the port to connect to
	 */
	public void redirectTo(int target) {
		this.target = target;
	}

	/**
	 * Let everything through at once again.
	 */
	public void heal() {
		this.replyDelay = Duration.ZERO;
		this.swallowRequests = false;
		this.swallowReplies = false;
		this.refuse = false;
	}

	/**
	 * Hold back what the server sends.
	 */
	public void delayReplies(Duration delay) {
		this.replyDelay = delay;
	}

	/**
	 * Drop what the client sends. The connections stay open.
	 */
	public void swallowRequests() {
		this.swallowRequests = true;
	}

	/**
	 * Drop what the server sends. The connections stay open.
	 */
	public void swallowReplies() {
		this.swallowReplies = true;
	}

	/**
	 * Drop everything on the connections that there are, which stay open. New ones work:
	 * so it is when a device in between has forgotten the connections.
	 */
	public void silenceConnections() {
		this.links.forEach((link) -> link.silent = true);
	}

	/**
	 * Close new connections at once.
	 */
	public void refuseConnections() {
		this.refuse = true;
	}

	/**
	 * Let replies through up to the one before the nth; with that one close all
	 * connections, and from then on new ones at once. To the server it looks as if the
	 * client had been killed there.
	 * @param n counts what the server sends from now on, piece by piece
	 */
	public void breakAtReply(int n) {
		this.repliesUntilBreak.set(n);
	}

	/**
	 * Whether that reply has come.
	 */
	public boolean isBroken() {
		return this.broken;
	}

	private void breakNow() {
		this.refuse = true;
		cutConnections();
		this.broken = true;
	}

	/**
	 * Close all connections on both sides.
	 */
	public void cutConnections() {
		this.links.forEach(Link::close);
	}

	/**
	 * Reset all connections towards the client, as a firewall or a dying host does.
	 */
	public void resetConnections() {
		this.links.forEach(Link::reset);
	}

	@Override
	public void close() {
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		cutConnections();
	}

	/**
	 * One connection through the proxy.
	 */
	private final class Link {

		private final Socket client;

		private final Socket server;

		private volatile boolean silent;

		Link(Socket client, Socket server) throws IOException {
			this.client = client;
			this.server = server;
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
		}

		void start() {
			startThread(() -> pump(this.client, this.server, false), "proxy-requests");
			startThread(() -> pump(this.server, this.client, true), "proxy-replies");
		}

		private void pump(Socket from, Socket to, boolean replies) {
			byte[] buffer = new byte[1 << 16];
			try {
				InputStream in = from.getInputStream();
				OutputStream out = to.getOutputStream();
				int count;
				while ((count = in.read(buffer)) >= 0) {
					if (replies) {
						delay(TcpProxy.this.replyDelay);
						if (TcpProxy.this.repliesUntilBreak.getAndDecrement() == 1) {
							breakNow();
							return;
						}
					}
					if (!this.silent && !(replies ? TcpProxy.this.swallowReplies : TcpProxy.this.swallowRequests)) {
						out.write(buffer, 0, count);
					}
				}
			}
			catch (IOException ex) {
				// Either side is gone
			}
			finally {
				close();
			}
		}

		private void delay(Duration delay) {
			long end = System.nanoTime() + delay.toNanos();
			long left;
			while ((left = end - System.nanoTime()) > 0) {
				LockSupport.parkNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(100)));
			}
		}

		void reset() {
			try {
				this.client.setSoLinger(true, 0);
			}
			catch (IOException ex) {
				// It is closed already
			}
			close();
		}

		void close() {
			TcpProxy.this.links.remove(this);
			closeQuietly(this.client);
			closeQuietly(this.server);
		}

		private void closeQuietly(Socket socket) {
			try {
				socket.close();
			}
			catch (IOException ex) {
				// It is of no use any more in any case
			}
		}

	}

}
